from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.errors import UsageError
from specchat.speculative.noise import Purpose, SeededNoise
from specchat.speculative.sampling import (
    SamplerChain,
    SamplingParams,
    apply_min_p,
    apply_penalties,
    apply_top_k,
    apply_top_p,
    largest,
    lead,
    total_mass,
)

NEUTRAL = SamplingParams(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)
LOGITS = np.log(np.array([0.1, 0.4, 0.2, 0.3], np.float32))
ALL = np.arange(4, dtype=np.int32)


def test_top_k_keeps_the_k_largest():
    tokens, logits = apply_top_k(LOGITS, 2)
    assert tokens.tolist() == [1, 3]
    assert np.exp(logits).tolist() == pytest.approx([0.4, 0.3])


@pytest.mark.parametrize("k", [0, -1, 4, 100])
def test_top_k_can_keep_everything(k: int):
    assert apply_top_k(LOGITS, k)[0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("p", "kept"), [(0.0, [1]), (0.3, [1]), (0.5, [1, 3]), (0.75, [1, 3, 2]), (1.0, [0, 1, 2, 3])])
def test_top_p_keeps_the_fewest_that_reach_p(p: float, kept: list[int]):
    assert apply_top_p(ALL, LOGITS, p, total_mass(LOGITS))[0].tolist() == kept


def test_top_p_of_a_flat_vocabulary_finds_more_than_its_first_piece():
    tokens, _ = apply_top_p(np.arange(10_000, dtype=np.int32), np.zeros(10_000, np.float32), 0.5, 10_000.0)
    assert 4990 <= len(tokens) <= 5010


@pytest.mark.parametrize(("p", "kept"), [(0.0, 4), (0.3, 3), (0.6, 2), (1.0, 1)])
def test_min_p_is_relative_to_the_most_likely(p: float, kept: int):
    assert len(apply_min_p(ALL, LOGITS, p)[0]) == kept


def test_penalties_follow_llama_cpp():
    params = SamplingParams(repeat_penalty=2.0, presence_penalty=0.5, frequency_penalty=0.25)
    penalized = apply_penalties(np.array([1.0, -1.0, 3.0, 4.0], np.float32), [0, 1, 1], params)
    assert penalized.tolist() == [1 / 2 - 0.25 - 0.5, -1 * 2 - 0.5 - 0.5, 3.0, 4.0]


@pytest.mark.parametrize("options", [{"presence_penalty": 0.5}, {"dry_multiplier": 0.8, "dry_allowed_length": 1}])
def test_a_draft_with_fewer_tokens_penalizes_those_that_it_has(options: dict[str, Any]):
    """The text may have others, further back than the draft looks."""
    params = replace(NEUTRAL, **options)
    history = [1, 2, 5, 1, 2, 3, 1, 2]
    wide = SamplerChain(params).distribution(np.array([*LOGITS, -np.inf, -np.inf], np.float32), history)
    narrow = SamplerChain(params).distribution(LOGITS, history)
    assert narrow.logprobs.tolist() == wide.logprobs[:4].tolist()
    assert narrow.logprobs.tolist() != SamplerChain(NEUTRAL).distribution(LOGITS, history).logprobs.tolist()


def test_penalties_see_only_the_last_tokens():
    params = SamplingParams(temperature=0, presence_penalty=100, penalty_last_n=2)
    chain = SamplerChain(params)
    assert chain.distribution(LOGITS, [1, 0, 0]).tokens.tolist() == [1]
    assert chain.distribution(LOGITS, [0, 1, 0]).tokens.tolist() == [3]


def test_temperature_zero_takes_the_lowest_of_equal_tokens():
    chain = SamplerChain(SamplingParams(temperature=0))
    assert chain.distribution(np.array([0, 2, 2, 1], np.float32), []).tokens.tolist() == [1]


def test_temperature_comes_last():
    """A hot temperature does not widen the truncated set."""
    chain = SamplerChain(SamplingParams(temperature=100.0, top_k=0, top_p=0.65, min_p=0.0))
    distribution = chain.distribution(LOGITS, [])
    assert sorted(distribution.tokens.tolist()) == [1, 3]
    assert np.exp(distribution.logprobs).tolist() == pytest.approx([0.5, 0.5], abs=0.01)


def test_the_logits_of_the_model_are_left_alone():
    logits = LOGITS.copy()
    SamplerChain(SamplingParams(presence_penalty=1.0)).distribution(logits, [1, 2, 3])
    assert (logits == LOGITS).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 5000), st.integers(1, 60), st.booleans())
def test_largest_is_a_sort(seed: int, size: int, count: int, ties: bool):
    values = np.random.default_rng(seed).normal(size=size).astype(np.float32)
    values = values.round(1) if ties else values
    count = min(count, size)
    expected = np.argsort(-values, kind="stable")[:count]
    assert largest(values, count).tolist() == sorted(expected.tolist())


@pytest.mark.parametrize(
    "options",
    [
        {"top_p": 1.5},
        {"min_p": -0.1},
        {"penalty_last_n": -2},
        {"temperature": np.nan},
        {"temperature": 1e-40},
        {"temperature": 1e300},
        {"repeat_penalty": 0.0},
        {"repeat_penalty": -1.0},
        {"repeat_penalty": 1e-40},
        {"repeat_penalty": 1e39},
        {"presence_penalty": 1e39},
        {"frequency_penalty": -np.inf},
        {"typical_p": 1.1},
        {"xtc_probability": -0.1},
        {"xtc_threshold": np.nan},
        {"top_n_sigma": np.inf},
        {"dry_multiplier": 1e39},
        {"dry_base": 0.9},
        {"dry_base": np.nan},
        {"dry_allowed_length": -1},
        {"dry_penalty_last_n": -2},
        {"logit_bias": ("5",)},
        {"logit_bias": ("5+inf",)},
        {"logit_bias": ("5+nan",)},
        {"logit_bias": ("x-1",)},
        {"logit_bias": ("-1+1",)},
    ],
)
def test_values_that_mean_nothing_are_refused(options: dict[str, Any]):
    with pytest.raises(UsageError) as error:
        SamplingParams(**options)  # type: ignore[arg-type]
    assert error.value.hint


EXTREMES = {
    "temperature": (1e-12, 1e12),
    "repeat_penalty": (1e-12, 1e12),
    "presence_penalty": (-1e12, 1e12),
    "frequency_penalty": (-1e12, 1e12),
    "top_k": (0, 1, 10**30),
    "top_p": (0.0, 5e-324, 1.0),
    "min_p": (0.0, 5e-324, 1.0),
    "typical_p": (0.0, 5e-324, 1.0),
    "top_n_sigma": (-1e12, 1e-12, 1e12),
    "xtc_probability": (0.0, 1.0),
    "xtc_threshold": (0.0, 1.0),
    "dry_multiplier": (-1e12, 0.0, 1e12),
    "dry_base": (1.0, 1.0000001, 1.75, 1e12),
    "logit_bias": ((), ("3-1e12", "1+1e12"), ("0-inf", "900+1")),
}


@given(st.fixed_dictionaries({name: st.sampled_from(values) for name, values in EXTREMES.items()}))
def test_the_most_extreme_values_still_make_a_distribution(options: dict[str, Any]):
    """Without a warning of numpy's: warnings are errors here."""
    params = SamplingParams(**options, penalty_last_n=-1, dry_allowed_length=0)  # type: ignore[arg-type]
    chain = SamplerChain(params).of_answer(SeededNoise(1), 0)
    logits = np.array([0, 1e4, -1e4, 7, 7, -np.inf, 1e-30], np.float32)
    distribution = chain.distribution(logits, [*range(6)] * 10_000)
    assert np.exp(distribution.logprobs).sum() == pytest.approx(1)
    token = SeededNoise(1).draw(distribution, 0, Purpose.TARGET)
    assert np.isfinite(chain.lead(logits, distribution, token))


@given(st.lists(st.floats(-50, 50, width=32), min_size=2, max_size=600), st.data())
def test_the_lead_is_over_the_best_other_token(values: list[float], data: st.DataObject):
    token = data.draw(st.integers(0, len(values) - 1))
    others = [value for place, value in enumerate(values) if place != token]
    assert lead(np.array(values, np.float32), token) == pytest.approx(values[token] - max(others), abs=1e-4)


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.5])
def test_the_lead_is_the_same_whether_it_is_searched_or_read_off_the_distribution(temperature: float):
    chain = SamplerChain(SamplingParams(temperature=temperature, min_p=0.0, top_p=1.0))
    logits = np.random.default_rng(3).normal(size=1000).astype(np.float32)
    distribution = chain.distribution(logits, [])
    for token in distribution.tokens[:5].tolist():
        assert chain.lead(logits, distribution, token) == pytest.approx(lead(logits, token), abs=1e-4)
