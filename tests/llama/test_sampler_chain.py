"""Our sampler chain against llama.cpp's own samplers on the same logits.

llama.cpp's temperature and truncations keep a beginning of the tokens sorted by their logits, so two results are
compared as such beginnings. Three things may differ between right results, and only where rounding decides:

- of equal logits at the end of the beginning, any may be the last: the tokens above them must be the same ones;
- a token may end the top-p set one place earlier or later where the exact sum comes within the error of adding that
  many float32 numbers (n units in the last place) of p;
- a token may pass min-p or not where its logit is within 2 units in the last place of the threshold.

Where one of the last two happens, the probabilities are compared given the tokens that both keep. What does not keep a
beginning is in test_other_samplers.py.
"""

import ctypes
from dataclasses import dataclass

import llama_cpp
import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from specchat.speculative.sampling import SamplerChain, SamplingParams, apply_penalties

from .raw import silence

UNIT = 2.0**-24  # the relative error of one float32 operation
OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}


@pytest.fixture(autouse=True, scope="module")
def _silent():
    silence()


def llama_chain(params, n_vocab, history):
    """llama.cpp's samplers in its order, having seen `history`."""
    # In C a window below 0 is none; "all" is as long as the history.
    window = len(history) if params.penalty_last_n < 0 else params.penalty_last_n
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    penalties = params.repeat_penalty, params.frequency_penalty, params.presence_penalty
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_penalties(n_vocab, window, *penalties))
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_top_k(params.top_k))
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_top_p(params.top_p, 0))
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_min_p(params.min_p, 0))
    llama_cpp.llama_sampler_chain_add(chain, llama_cpp.llama_sampler_init_temp(params.temperature))
    for token in history:
        llama_cpp.llama_sampler_accept(chain, token)
    return chain


def apply_llama(params, logits, history):
    """The tokens that llama.cpp keeps and their logits."""
    data = (llama_cpp.llama_token_data * len(logits))()
    table = np.frombuffer(data, np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)]))
    table["id"], table["logit"] = np.arange(len(logits)), logits
    array = llama_cpp.llama_token_data_array(data, len(logits), -1, False)
    chain = llama_chain(params, len(logits), history)
    llama_cpp.llama_sampler_apply(chain, ctypes.byref(array))
    llama_cpp.llama_sampler_free(chain)
    assert ctypes.addressof(array.data.contents) == ctypes.addressof(data)
    kept = table[: array.size]
    return kept["id"].copy(), kept["logit"].copy()


def penalized_by_llama(params, logits, history):
    """What the truncations see, in the order of the tokens."""
    only = SamplingParams(
        temperature=1.0,
        **OFF,
        repeat_penalty=params.repeat_penalty,
        frequency_penalty=params.frequency_penalty,
        presence_penalty=params.presence_penalty,
        penalty_last_n=params.penalty_last_n,
    )
    tokens, values = apply_llama(only, logits, history)
    return values[np.argsort(tokens)]


@dataclass(frozen=True)
class Allowed:
    """The sizes that the kept set may have, and whether rounding leaves a choice."""

    sizes: range

    @classmethod
    def by(cls, params, values):
        """In float64, from all logits that the truncations see."""
        ordered = np.sort(values.astype(np.float64))[::-1]
        ordered = ordered[: params.top_k] if 0 < params.top_k < len(ordered) else ordered
        fewest, most = cls._top_p(params.top_p, ordered)
        if params.min_p > 0:
            threshold = ordered[0] + np.log(params.min_p)
            error = 4 * UNIT * (abs(ordered[0]) + abs(np.log(params.min_p)))
            fewest = min(fewest, int((ordered >= threshold + error).sum()))
            most = min(most, int((ordered >= threshold - error).sum()))
        return cls(range(max(1, fewest), max(1, most) + 1))

    @staticmethod
    def _top_p(p, ordered):
        if p >= 1:
            return len(ordered), len(ordered)
        mass = np.exp(ordered - ordered[0])
        sums = np.cumsum(mass / mass.sum())
        # the sum that normalises, the running sum, and e to a rounded difference
        error = UNIT * (len(ordered) + np.arange(1, len(ordered) + 1) + 2 * (ordered[0] - ordered) + 8)
        reached = [int(np.searchsorted(sums - side * error * sums, p)) + 1 for side in (-1, 1)]
        return min(min(reached), len(ordered)), min(max(reached), len(ordered))


def softmax(logits):
    mass = np.exp(logits.astype(np.float64) - logits.max())
    return mass / mass.sum()


def check_equal(params, logits, history):
    """Our distribution is llama.cpp's."""
    values = penalized_by_llama(params, logits, history)
    tokens, kept = apply_llama(params, logits, history)
    ours = SamplerChain(params).distribution(logits, history)
    if params.temperature <= 0:
        check_equal_choice(values, int(tokens[np.argmax(kept)]), ours)
        return
    allowed = Allowed.by(params, values).sizes
    assert len(tokens) in allowed
    assert len(ours.tokens) in allowed
    assert len(set(ours.tokens.tolist())) == len(ours.tokens)
    if len(tokens) != len(ours.tokens):
        event("rounding decides about a token")
    check_beginning(values, tokens)
    check_beginning(values, ours.tokens)
    check_probabilities(values, tokens, kept, ours)


def check_equal_choice(values, chosen, ours):
    assert len(ours.tokens) == 1
    assert values[chosen] == values.max()
    assert ours.tokens[0] == np.flatnonzero(values == values.max())[0]


def check_beginning(values, tokens):
    """All tokens above the least one of the set are in the set; only equal logits may be left out.

    Differences to the largest logit are what probabilities are made of, so logits are equal when these are.
    """
    scores = values - values.max()
    least = scores[tokens].min()
    assert set(np.flatnonzero(scores > least)) <= set(tokens.tolist())


def check_probabilities(values, tokens, kept, ours):
    """The probabilities are equal in order, given the tokens that both keep."""
    common = min(len(tokens), len(ours.tokens))
    theirs = np.sort(softmax(kept))[::-1][:common]
    mine = np.sort(np.exp(ours.logprobs))[::-1][:common]
    np.testing.assert_allclose(np.exp(ours.logprobs).sum(), 1, rtol=1e-9)
    np.testing.assert_allclose(mine / mine.sum(), theirs / theirs.sum(), rtol=1e-4)
    by_token = dict(zip(tokens.tolist(), softmax(kept), strict=True))
    scale = theirs.sum() / mine.sum()
    shared = [place for place, token in enumerate(ours.tokens.tolist()) if token in by_token]
    expected = [by_token[token] for token in ours.tokens[shared].tolist()]
    np.testing.assert_allclose(np.exp(ours.logprobs[shared]) * scale, expected, rtol=1e-4)
    assert len(shared) >= common - int((values == values[ours.tokens].min()).sum())


@dataclass(frozen=True)
class Logits:
    """A recipe, so that a failing example is short."""

    seed: int
    size: int
    spread: float
    shift: float
    decimals: int | None

    def make(self):
        logits = self.shift + self.spread * np.random.default_rng(self.seed).standard_normal(self.size)
        return (logits if self.decimals is None else logits.round(self.decimals)).astype(np.float32)


LOGITS = st.builds(
    Logits,
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(50, 5000),
    spread=st.sampled_from([0.0, 0.3, 1.0, 2.5, 6.0]),
    shift=st.sampled_from([0.0, -7.0, 15.0]),
    decimals=st.sampled_from([None, None, 0, 1]),  # rounding makes ties
)
TRUNCATIONS = {
    "top_k": st.sampled_from([0, -1, 1, 2, 40, 128, 129, 1000, 10_000]),
    "top_p": st.sampled_from([0.0, 0.1, 0.5, 0.9, 0.95, 0.999, 1.0]) | st.floats(0, 1, width=32),
    "min_p": st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0]) | st.floats(0, 1, width=32),
}
TEMPERATURES = st.sampled_from([0.0, 0.3, 1.0, 1.7])
PENALTIES = {
    "repeat_penalty": st.sampled_from([1.0, 1.1, 2.0, 0.5]),
    "presence_penalty": st.sampled_from([0.0, 0.5, -1.0, 3.0]),
    "frequency_penalty": st.sampled_from([0.0, 0.25, -0.5]),
    "penalty_last_n": st.sampled_from([0, 5, 64, -1]),
}


@given(LOGITS, st.builds(SamplingParams, temperature=TEMPERATURES, **TRUNCATIONS))
@settings(deadline=None, max_examples=300, derandomize=True)
def test_truncation_and_temperature_are_llama_cpps(recipe, params):
    check_equal(params, recipe.make(), [])


@given(
    LOGITS,
    st.builds(SamplingParams, temperature=TEMPERATURES, **TRUNCATIONS, **PENALTIES),
    st.lists(st.integers(0, 49), max_size=150),
)
@settings(deadline=None, max_examples=300, derandomize=True)
def test_penalties_in_front_of_the_rest_are_llama_cpps(recipe, params, history):
    check_equal(params, recipe.make(), history)


@given(LOGITS, TEMPERATURES.filter(bool))
@settings(deadline=None, max_examples=30, derandomize=True)
def test_with_everything_off_all_tokens_keep_their_softmax(recipe, temperature):
    params, logits = SamplingParams(temperature=temperature, **OFF), recipe.make()
    check_equal(params, logits, [])
    distribution = SamplerChain(params).distribution(logits, [])
    expected = softmax(logits.astype(np.float64) / temperature)[distribution.tokens]
    np.testing.assert_allclose(np.exp(distribution.logprobs), expected, rtol=1e-4)


@pytest.mark.parametrize("history", [[], [1, 2, 3] * 100])
@pytest.mark.parametrize("spread", [1.0, 3.0])
def test_the_defaults_are_right_at_the_size_of_a_real_vocabulary(history, spread):
    for seed in range(5):
        check_equal(SamplingParams(repeat_penalty=1.1), Logits(seed, 152_064, spread, 0.0, None).make(), history)


def test_the_penalized_logits_are_llama_cpps_bits():
    penalties = {"repeat_penalty": 1.3, "presence_penalty": 0.7, "frequency_penalty": 0.3, "penalty_last_n": 20}
    params = SamplingParams(temperature=1.0, **OFF, **penalties)
    logits, history = Logits(1, 100, 3.0, 0.0, None).make(), [token % 13 for token in range(50)]
    expected = penalized_by_llama(params, logits, history)
    np.testing.assert_array_equal(apply_penalties(logits, history[-20:], params), expected)
