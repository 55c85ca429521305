"""However a model remembers, it can be taken back to any place, and reads little again."""

from contextlib import ExitStack
from dataclasses import dataclass, replace
from random import Random
from typing import get_args

import llama_cpp
import numpy as np
import pytest

from specchat.speculative.errors import DecodeError
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.model import advance, read_ahead

from ..tiny import Architecture

CONFIG = LlamaConfig(n_ctx=1024, n_batch=128, threads=1, cache_type_k="f32", cache_type_v="f32")
WINDOWED = replace(CONFIG, whole_windows=False, n_batch=16)
KINDS = [*((architecture, CONFIG) for architecture in get_args(Architecture)), ("gemma2", WINDOWED)]
TEXT = [int(token) for token in np.random.default_rng(1).integers(0, 256, 1000)]

every_kind = pytest.mark.parametrize(("architecture", "config"), KINDS, ids=lambda value: str(value)[:6])


@dataclass
class Counted:
    """Calls that are passed on; counts the tokens that are decoded."""

    tokens: int = 0

    def __call__(self, function, *arguments):
        if function is llama_cpp.llama_decode:
            self.tokens += arguments[1].n_tokens
        return function(*arguments)


@pytest.fixture
def open_model(write_tiny_model):
    """A function that loads a tiny model of an architecture, for as long as the test takes."""
    with ExitStack() as opened:
        yield lambda architecture, config=CONFIG, **settings: opened.enter_context(
            LlamaModel.load(write_tiny_model(architecture=architecture), config, **settings)
        )


@every_kind
@pytest.mark.parametrize("seed", range(8))
def test_whatever_was_decoded_and_taken_back_the_rows_are_those_of_a_new_model(open_model, architecture, config, seed):
    model, chance, text = open_model(architecture, config), Random(seed), TEXT[:350]
    oracle = model.twin()
    for _ in range(40):
        match chance.randrange(6):
            case 0:  # an edit somewhere
                text = [*text[: chance.randrange(1, len(text) + 1)], *(chance.randrange(256) for _ in range(20))]
            case 1:  # a turn taken back
                text = text[: max(1, len(text) - chance.randrange(60))]
            case 2:
                text = [*text, *TEXT[: chance.randrange(1, 50)]]
                list(read_ahead(model, text, chance.randrange(len(text)), config.n_batch))
            case 3:  # guesses one by one
                advance(model, text, 1)
                model.keep()
                for _ in range(chance.randrange(5)):
                    model.decode([chance.randrange(256)], 1)
            case 4:
                place = chance.randrange(len(text) + 1)
                assert model.nearest(place) == model.rollback(place)
            case _:
                text = [*text, chance.randrange(256)]
        text = text[:900]
        n_rows = chance.randrange(1, min(len(text), 10 if config.n_batch > 16 else 4) + 1)
        rows = advance(model, text, n_rows).copy()
        assert model.cached == text
        oracle.rollback(0)
        np.testing.assert_allclose(rows, advance(oracle, text, n_rows), atol=0.05)
    oracle.close()


@pytest.mark.parametrize("architecture", get_args(Architecture))
def test_tokens_read_again_after_a_rejection_do_not_grow_with_the_context(open_model, architecture):
    counted = Counted()
    model = open_model(architecture, call=counted)
    read = {}
    for context in (100, 400, 900):
        text = TEXT[:context]
        advance(model, text[:-1], 1)
        counted.tokens, rounds = 0, 20
        for round_ in range(rounds):  # of four guesses the first is right
            advance(model, [*text, 1, 2, 3, 4], 5)
            text = [*text, 1, 200 + round_]
        read[context] = (counted.tokens - 5 * rounds) / rounds
    print(architecture, read)
    assert len(set(read.values())) == 1
    assert read[100] <= 4


@pytest.mark.parametrize("n_batch", [1, 2, 3, 4, 17, 18])
@pytest.mark.parametrize("architecture", ["jamba", "lfm2"])
def test_any_batch_size_works(open_model, architecture, n_batch):
    """llama.cpp aborts the process where its snapshots do not fit a pass."""
    model = open_model(architecture, replace(CONFIG, n_batch=n_batch))
    advance(model, TEXT[:40], 1)
    assert advance(model, [*TEXT[:30], 1], 1).shape[0] == 1
    for n_rows in range(1, min(n_batch, CONFIG.max_rows) + 1):  # few are read again with as many rows as there can be
        text = TEXT[: 33 + n_rows]
        model.rollback(0)
        advance(model, TEXT[:31], 1)
        assert advance(model, text, n_rows).shape[0] == n_rows
        assert model.cached == text


def test_snapshots_are_good_for_one_step_back(open_model):
    model, oracle = open_model("lfm2"), open_model("lfm2")
    advance(model, TEXT[:100], 1)
    advance(model, TEXT[:105], 5)
    assert model.rollback(103) == 103
    assert model.nearest(102) == model.rollback(102)
    np.testing.assert_allclose(advance(model, TEXT[:103], 1), advance(oracle, TEXT[:103], 1), atol=0.05)


def test_what_was_kept_of_a_text_is_gone_with_it(open_model):
    model, oracle = open_model("lfm2"), open_model("lfm2")
    advance(model, TEXT[:100], 1)
    advance(model, TEXT[:105], 5)
    model.keep()
    assert model.rollback(103) == 103
    text = [*TEXT[:103], 9, 8, 7, 6]
    for end in range(104, 108):
        advance(model, text[:end], 1)
    edited = [*text[:105], 5]
    np.testing.assert_allclose(advance(model, edited, 1), advance(oracle, edited, 1), atol=0.05)


@pytest.mark.parametrize("architecture", get_args(Architecture))
def test_a_pass_is_padded_only_where_that_is_taken_back_at_once(open_model, architecture):
    counted = Counted()
    model = open_model(architecture, replace(CONFIG, min_pass=8), call=counted)
    for end in range(1, 40):
        advance(model, TEXT[:end], 1)
        assert model.cached == TEXT[:end]
    assert counted.tokens == (39 * 8 if model.takes_back(8) else 39)


def test_a_prompt_that_was_answered_is_hardly_read_again(open_model):
    """Whatever is taken back of a chat, what is read again belongs to what was last said."""
    counted = Counted()
    model = open_model("jamba", call=counted)
    turns = [TEXT[begin : begin + 60] for begin in range(0, 900, 60)]
    text: list[int] = []
    for turn in turns:
        start, text = len(text), [*text, *turn]
        list(read_ahead(model, text[:-20], start, CONFIG.n_batch))
        for end in range(len(text) - 20, len(text)):  # the answer
            advance(model, text[:end], 1)
    for question in range(len(turns) - 1, len(turns) - 5, -1):
        counted.tokens = 0
        advance(model, [*text[: question * 60], 5, 6, 7], 1)  # another one instead
        assert counted.tokens <= 64


def test_a_stopped_pass_loses_little_of_what_was_generated(open_model):
    counted = Counted()
    model = open_model("jamba", call=counted)
    text = TEXT[:500]
    for end in range(1, 500):
        advance(model, text[:end], 1)
    with pytest.raises(DecodeError):
        model.decode([100_000], 1)
    counted.tokens = 0
    advance(model, text, 1)
    assert counted.tokens <= 129
