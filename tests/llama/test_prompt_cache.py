"""States of real llama.cpp, on tiny models: taken out, put back, and the same to the last bit."""

import os
from dataclasses import replace

import numpy as np
import pytest

from specchat.speculative.errors import DecodeError, ModelLoadError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.model import advance
from specchat.speculative.state_places import StatePlace

from ..speculative.fakes import propose

CONFIG = LlamaConfig(n_ctx=512, n_batch=32, threads=1)
TEXT = [int(token) for token in np.random.default_rng(1).integers(0, 256, 200)]
SETTINGS = {
    "f16": CONFIG,
    "q8_0": replace(CONFIG, cache_type_k="q8_0", cache_type_v="q8_0"),
    "without flash attention": replace(CONFIG, flash_attention="off"),
    "padded": replace(CONFIG, min_pass=4),
}


@pytest.mark.parametrize("config", SETTINGS.values(), ids=list(SETTINGS))
def test_a_state_that_is_put_back_goes_on_to_the_last_bit(tiny_model_path, config):
    with LlamaModel.load(tiny_model_path, config) as model:
        model.decode(TEXT, 0)
        state = bytearray(model.save_state())
        expected = model.decode([1, 2, 3], 3).copy()
        model.rollback(90)
        middle = model.decode([4, 5], 2).copy()
    with LlamaModel.load(tiny_model_path, config) as other:
        other.decode([9, 9, 9], 1)
        assert other.load_state(TEXT, state)
        assert other.cached == TEXT
        assert np.array_equal(other.decode([1, 2, 3], 3), expected)
        other.rollback(90)
        assert np.array_equal(other.decode([4, 5], 2), middle)


def test_the_state_of_a_recurrent_model_is_put_back_too(write_tiny_model):
    path = write_tiny_model(architecture="mamba")
    with LlamaModel.load(path, CONFIG) as model, LlamaModel.load(path, CONFIG) as other:
        model.decode(TEXT, 0)
        assert other.load_state(TEXT, bytearray(model.save_state()))
        assert np.array_equal(other.decode([1], 1), model.decode([1], 1))


def test_what_a_state_lacks_behind_a_sliding_window_is_read_again(write_tiny_model):
    """llama.cpp leaves it out of states (`llama_kv_cache::state_write`), however large the cache is."""
    path = write_tiny_model(architecture="gemma2", window=24)
    settings = replace(CONFIG, flash_attention="off", cache_type_k="f32", cache_type_v="f32")
    with LlamaModel.load(path, settings) as model, LlamaModel.load(path, settings) as other:
        model.decode(TEXT, 0)
        assert other.load_state(TEXT, bytearray(model.save_state()))
        for text in ([*TEXT, 1], [*TEXT[:150], 2], [*TEXT[:50], 3]):
            assert np.allclose(advance(other, text, 1), advance(model, text, 1), atol=1e-4)


@pytest.mark.parametrize(
    "changed",
    [
        lambda state: state[: len(state) // 2],
        lambda state: state + b"\0",
        lambda state: b"",
        lambda state: bytes(4),
        lambda state: b"\xff" * 8 + state[8:],
    ],
)
def test_a_state_that_llama_cpp_refuses_leaves_an_empty_cache_that_works(tiny_model_path, changed):
    with LlamaModel.load(tiny_model_path, CONFIG) as model:
        expected = model.decode(TEXT, 1).copy()
        state = bytes(model.save_state())
        assert not model.load_state(TEXT, bytearray(changed(state)))
        assert model.cached == []
        assert np.array_equal(model.decode(TEXT, 1), expected)


def test_a_state_of_other_tokens_than_are_said_is_refused(tiny_model_path):
    with LlamaModel.load(tiny_model_path, CONFIG) as model:
        model.decode(TEXT, 0)
        state = bytearray(model.save_state())
        assert not model.load_state(TEXT[:-1], state)
        assert not model.load_state([1] * 600, state)
        assert not model.load_state([], state)
        assert model.load_state(TEXT, state)


def test_an_empty_cache_is_nothing_to_keep_or_is_taken_back_empty(tiny_model_path):
    with LlamaModel.load(tiny_model_path, CONFIG) as model:
        try:
            state = bytearray(model.save_state())
        except DecodeError:
            return
        assert not model.load_state([], state)
        assert model.cached == []


def answered(config: PairConfig, prompt: list[int]) -> tuple[GenerationFinished, list[str]]:
    """What a process of its own says, and its notices."""
    pair = load_pair(config, Interrupt())
    *_, finished = pair.session.generate(prompt, max_tokens=30)
    pair.close()
    pair.close()
    assert isinstance(finished, GenerationFinished)
    return finished, pair.take_notices()


@pytest.fixture
def config(tiny_model_path, write_tiny_model, tmp_path) -> PairConfig:
    """A pair that keeps what it reads. Without flash attention, passes of all lengths agree on these models."""
    target = tmp_path / "target.gguf"
    target.write_bytes(tiny_model_path.read_bytes())
    loaded = replace(CONFIG, flash_attention="off", cache_type_k="f32", cache_type_v="f32")
    return PairConfig(
        target=target,
        draft=write_tiny_model(noise=0.1),
        target_config=loaded,
        draft_config=loaded,
        draft_length=3,
        states=StatePlace(tmp_path / "states", is_folder=True, least_seconds=0.0, as_new=False),
    )


def test_a_draft_that_is_not_there_is_told_also_where_its_states_would_be_kept(config, tmp_path):
    with pytest.raises(ModelLoadError, match="There is no model file"):
        load_pair(replace(config, draft=tmp_path / "none.gguf"), Interrupt())
    with load_pair(replace(config, draft=tmp_path / "none.gguf", draft_required=False), Interrupt()) as pair:
        assert pair.drafted_by == ("n-grams",)


@pytest.mark.parametrize("how", ["goes on", "as new", "exact"])
def test_a_warm_start_of_a_pair_says_what_a_cold_one_says(config, how):
    if how == "as new":  # where passes of other lengths say something else
        other = replace(CONFIG, n_batch=64)
        config = replace(config, target_config=other, states=replace(config.states, as_new=True))
    elif how == "exact":
        config = replace(config, exact=True, draft_length=None)
    piece = {"goes on": 1, "as new": 64, "exact": 32}[how]
    first, told = answered(config, TEXT)
    assert first.stats.cached_tokens == 0
    for prompt in (TEXT, [*TEXT[:150], 1, 2, 3]):
        warm, warned = answered(config, prompt)
        cold, _ = answered(replace(config, states=None), prompt)
        assert warm.tokens == cold.tokens
        shared = 199 if prompt == TEXT else 150
        assert warm.stats.cached_tokens == shared - shared % piece
        assert len(warned) == len(told)  # which with exact is one, with figures


def test_a_warm_start_with_a_sliding_window_says_what_a_cold_one_says(config, write_tiny_model):
    config = replace(config, target=write_tiny_model(architecture="gemma2", window=24), draft="none", draft_length=None)
    first, _ = answered(config, TEXT)
    text = [*TEXT, *first.tokens]
    for prompt, cached in (([*text, 1, 2], len(text) - 1), ([*TEXT[:150], 1, 2, 3], 0)):
        warm, _ = answered(config, prompt)
        cold, _ = answered(replace(config, states=None), prompt)
        assert (warm.tokens, warm.stats.cached_tokens) == (cold.tokens, cached)


def test_a_target_that_was_changed_or_is_loaded_otherwise_has_no_state(config):
    answered(config, TEXT)
    for other in (
        replace(config, target_config=replace(config.target_config, n_ctx=300)),
        replace(config, target_config=replace(config.target_config, cache_type_k="f16")),
        replace(config, target_config=replace(config.target_config, threads=2)),
    ):
        assert answered(other, TEXT)[0].stats.cached_tokens == 0
    assert answered(replace(config, draft="none"), TEXT)[0].stats.cached_tokens == 199
    os.utime(config.target, (1e9, 1e9))
    finished, told = answered(config, TEXT)
    assert (finished.stats.cached_tokens, told) == (0, [])


def test_the_draft_goes_on_where_it_ended_too_and_is_not_loaded_for_that(config, tmp_path):
    config = replace(config, cache_folder=tmp_path / "cache")
    answered(config, TEXT)
    assert len(list(config.states.path.iterdir())) == 2
    with load_pair(config, Interrupt()) as pair:
        text = [*TEXT, 1, 2]
        [offer] = pair.session.decoder.drafter.offers(text, propose(seed=0))
        assert (offer.behind, offer.loading > 0) == (1, True)
        *_, warm = pair.session.generate(text, max_tokens=20)
    assert warm.tokens == answered(replace(config, states=None), text)[0].tokens[:20]


def test_what_a_draft_says_under_rejection_is_part_of_the_text_so_its_state_is_not_kept(config):
    answered(replace(config, verification="rejection"), TEXT)
    assert len(list(config.states.path.iterdir())) == 1
