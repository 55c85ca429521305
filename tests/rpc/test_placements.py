"""Wherever the layers of a pair are, it says the same, and takes what was planned."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from specchat.speculative.devices import Device
from specchat.speculative.events import GenerationFinished
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.logprobs import ScoredToken, TokenLogprob

from ..real.same_text import Case
from .placed import Outcome, Way, devices, outcome, parted
from .servers import needs_rpc

pytestmark = needs_rpc
CASE = Case("code", 0.0, seed=1, max_tokens=40)
TARGETS = [(), (0.2,), (0.5,), (1.0,), (0.3, 0.2), (0.1, 0.7), (0.6, 0.4), (0.95, 0.05), (0.05,)]
DRAFTS = [(), (0.5,), (1.0,), (0.0, 1.0)]


@pytest.fixture(scope="module")
def there() -> Iterator[Sequence[Device]]:
    with devices(2) as found:
        yield found


def pair(target: Path, draft: Path, n_batch: int = 512) -> PairConfig:
    loaded = LlamaConfig(threads=1, n_ctx=2048, cache_type_v="q8_0", n_batch=n_batch)
    return PairConfig(target=target, draft=draft, target_config=loaded, draft_config=loaded, draft_length=4)


def said(*places: Mapping[int, float]) -> Any:
    """A text of the likeliest tokens, by the logarithms of the probabilities at its places."""
    best = [tuple(TokenLogprob(token, value, value) for token, value in place.items()) for place in places]
    scored = [ScoredToken(max(each, key=lambda token: token.logprob), each) for each in best]
    return SimpleNamespace(tokens=[each.chosen.token for each in scored], scored=scored)


@pytest.mark.parametrize(("moved", "is_near_tie"), [(0.04, False), (0.06, True)])
def test_texts_may_part_where_tokens_are_closer_than_logits_moved_before(moved, is_near_tie):
    here = said({1: -0.5, 2: -1.5}, {3: -1.0, 4: -1.1})
    there = said({1: -0.5, 2: -1.5 + moved}, {3: -1.1, 4: -1.0})
    found = parted(here, there)
    assert (found.place, found.margin, found.is_near_tie) == (1, pytest.approx(0.1), is_near_tie)
    assert found.moved == pytest.approx(moved)
    assert parted(here, here) is None


def check_sizes(found: Outcome) -> None:
    assert found.kept_to
    for model in (found.target, found.draft):
        assert model.as_planned
        for name, (planned, real) in model.sizes.items():
            assert planned == pytest.approx(real, rel=0.1), name


@pytest.fixture(scope="module")
def tiny(write_tiny_model, there) -> tuple[PairConfig, GenerationFinished]:
    """A pair of 50 MiB each, and what it says on the CPU; passes are short, so that weights are most of it."""
    settings = {"layers": 16, "width": 256, "n_vocab": 4000, "n_ctx": 8192}
    config = pair(write_tiny_model(seed=5, **settings), write_tiny_model(seed=5, noise=0.05, **settings), n_batch=64)
    return config, outcome(config, Way(), there, CASE).plain


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("draft", DRAFTS)
def test_a_tiny_pair_says_the_same_and_takes_what_was_planned(tiny, there, target, draft):
    config, expected = tiny
    found = outcome(config, Way(target, draft), there, CASE)
    assert found.plain.tokens == found.drafted.tokens == expected.tokens
    assert found.drafted.stats.accepted > 0
    check_sizes(found)


@pytest.mark.models
def test_a_real_pair_says_the_same_but_for_near_ties_and_takes_what_was_planned(models, there):
    target, draft = models / "qwen2.5-coder-1.5b-instruct-q8_0.gguf", "qwen2.5-coder-0.5b-instruct-q4_0.gguf"
    config = pair(target, models / draft)
    on_cpu, *others = (
        outcome(config, way, there, CASE) for way in (Way(), Way((0.3, 0.2), (0.0, 1.0)), Way((1.0,), (1.0,)))
    )
    for found in (on_cpu, *others):
        check_sizes(found)
        for text in (found.plain, found.drafted):
            parting = parted(on_cpu.plain, text)
            assert parting is None or parting.is_near_tie, parting
        assert found.drafted.stats.accepted > 0
