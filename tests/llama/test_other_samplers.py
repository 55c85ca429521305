"""The samplers that are off by default against llama.cpp's own, on the same logits, alone and in its order.

Where the sets of kept tokens differ, rounding decides: llama.cpp adds float32 numbers one by one.
"""

import ctypes
import os

import llama_cpp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.speculative.distribution import TokenDistribution
from specchat.speculative.dry import Dry
from specchat.speculative.llama.breakers import BreakerTokens
from specchat.speculative.llama.vocabulary import Vocabulary
from specchat.speculative.noise import SeededNoise
from specchat.speculative.sampling import SamplerChain, SamplingParams

from .raw import silence

OFF = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
ALWAYS = SeededNoise(1)
DEFAULT_BREAKERS = SamplingParams().dry_sequence_breakers


@pytest.fixture(scope="module", params=["bpe", "spm"])
def vocab(request, write_tiny_model):
    silence()
    path = write_tiny_model(tokenizer=request.param, n_vocab=320)
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), llama_cpp.llama_model_default_params())
    yield llama_cpp.llama_model_get_vocab(model)
    llama_cpp.llama_model_free(model)


def llama_samplers(params, n_vocab, vocab):
    """Those of common_sampler_init in common/sampling.cpp, in the default order."""
    biases = (llama_cpp.llama_logit_bias * len(params.biases))(*params.biases)
    yield llama_cpp.llama_sampler_init_logit_bias(n_vocab, len(params.biases), biases)
    penalties = params.repeat_penalty, params.frequency_penalty, params.presence_penalty
    yield llama_cpp.llama_sampler_init_penalties(n_vocab, params.penalty_last_n, *penalties)
    if vocab is not None:
        texts = [text.encode() for text in params.dry_sequence_breakers]
        breakers = (ctypes.c_char_p * len(texts))(*texts)
        dry = params.dry_multiplier, params.dry_base, params.dry_allowed_length, params.dry_penalty_last_n
        yield llama_cpp.llama_sampler_init_dry(vocab, *dry, breakers, len(texts))
    yield llama_cpp.llama_sampler_init_top_n_sigma(params.top_n_sigma)
    yield llama_cpp.llama_sampler_init_top_k(params.top_k)
    yield llama_cpp.llama_sampler_init_typical(params.typical_p, 0)
    yield llama_cpp.llama_sampler_init_top_p(params.top_p, 0)
    yield llama_cpp.llama_sampler_init_min_p(params.min_p, 0)
    yield llama_cpp.llama_sampler_init_xtc(params.xtc_probability, params.xtc_threshold, 0, 1)
    yield llama_cpp.llama_sampler_init_temp(params.temperature)


def by_llama(params, logits, history=(), vocab=None):
    """The probabilities of the tokens that llama.cpp keeps."""
    data = (llama_cpp.llama_token_data * len(logits))()
    table = np.frombuffer(data, np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)]))
    table["id"], table["logit"] = np.arange(len(logits)), logits
    array = llama_cpp.llama_token_data_array(data, len(logits), -1, False)
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
    for sampler in llama_samplers(params, len(logits), vocab):
        llama_cpp.llama_sampler_chain_add(chain, sampler)
    for token in history:
        llama_cpp.llama_sampler_accept(chain, token)
    llama_cpp.llama_sampler_apply(chain, ctypes.byref(array))
    llama_cpp.llama_sampler_free(chain)
    start = (ctypes.addressof(array.data.contents) - ctypes.addressof(data)) // ctypes.sizeof(
        llama_cpp.llama_token_data
    )
    kept = table[start : start + array.size]
    kept = kept[kept["logit"] > -np.inf]
    mass = np.exp(kept["logit"].astype(np.float64) - kept["logit"].max())
    return dict(zip(kept["id"].tolist(), (mass / mass.sum()).tolist(), strict=True))


def by_us(params, logits, history=(), breakers_of=lambda texts: {}):
    chain = SamplerChain(params, breakers_of).of_answer(ALWAYS, len(history))
    return probabilities(chain.distribution(logits, history))


def probabilities(distribution: TokenDistribution):
    possible = distribution.logprobs > -np.inf
    mass = np.exp(distribution.logprobs[possible])
    return dict(zip(distribution.tokens[possible].tolist(), mass.tolist(), strict=True))


def assert_same(ours, theirs):
    assert set(ours) == set(theirs)
    for token, probability in theirs.items():
        assert ours[token] == pytest.approx(probability, rel=1e-4, abs=1e-12)


def some_logits(seed, size=800, spread=2.5):
    return (spread * np.random.default_rng(seed).standard_normal(size)).astype(np.float32)


def softmax(logits):
    mass = np.exp(logits.astype(np.float64) - logits.max())
    return mass / mass.sum()


SEEDS, SPREADS = st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.0, 2.5, 6.0])


@given(SEEDS, SPREADS, st.sampled_from([0.5, 1.0, 1.5, 3.0]) | st.floats(0.01, 4), st.sampled_from([0, 1, 40]))
@settings(deadline=None, max_examples=150, derandomize=True)
def test_top_n_sigma_keeps_what_llama_cpp_keeps(seed, spread, n, top_k):
    params = SamplingParams(temperature=0.8, **{**OFF, "top_k": top_k}, top_n_sigma=n)
    logits = some_logits(seed, spread=spread)
    ours, theirs = by_us(params, logits), by_llama(params, logits)
    floor = logits.max() - n * logits.astype(np.float64).std()
    decided = {token for token in {*ours, *theirs} if abs(logits[token] - floor) > 1e-4 * (abs(floor) + n * spread)}
    assert set(ours) & decided == set(theirs) & decided
    if set(ours) == set(theirs):
        assert_same(ours, theirs)


def test_impossible_tokens_do_not_count_for_top_n_sigma():
    params, logits = SamplingParams(temperature=1.0, **OFF, top_n_sigma=1.0), some_logits(5)
    logits[::3] = -np.inf
    assert_same(by_us(params, logits), by_llama(params, logits))


@given(SEEDS, SPREADS, st.sampled_from([0.0, 0.2, 0.9, 0.999, 1.0]) | st.floats(0, 1, width=32))
@settings(deadline=None, max_examples=150, derandomize=True)
def test_typical_p_keeps_what_llama_cpp_keeps(seed, spread, p):
    params, logits = SamplingParams(temperature=0.8, **OFF, typical_p=p), some_logits(seed, spread=spread)
    ours, theirs = by_us(params, logits), by_llama(params, logits)
    mass = softmax(logits)
    distance = np.abs(-np.log(mass) + (mass * np.log(mass)).sum())
    for token in set(ours) ^ set(theirs):  # the last one in the order of distance, which llama.cpp knows to 1e-4
        before = mass[distance < distance[token] - 5e-4].sum(), mass[distance <= distance[token] + 5e-4].sum()
        assert before[0] - 1e-4 <= p <= before[1] + 1e-4
    if set(ours) == set(theirs):
        assert_same(ours, theirs)


@given(SEEDS, st.sampled_from([1.0, 2.5, 6.0]), st.sampled_from([0.0, 0.01, 0.1, 0.3, 0.5, 0.6, 1.0]))
@settings(deadline=None, max_examples=150, derandomize=True)
def test_xtc_excludes_what_llama_cpp_excludes(seed, spread, threshold):
    params = SamplingParams(temperature=0.8, **OFF, xtc_probability=1.0, xtc_threshold=threshold)
    logits = some_logits(seed, 60, spread)
    assert_same(by_us(params, logits), by_llama(params, logits))


def test_xtc_happens_as_often_as_it_should():
    logits = np.log(np.array([0.6, 0.3, 0.1], np.float32))
    chain = SamplerChain(SamplingParams(temperature=1.0, **OFF, xtc_probability=0.3, xtc_threshold=0.2))
    kept = [len(chain.of_answer(SeededNoise(seed), 1).distribution(logits, [0] * 5).tokens) for seed in range(2000)]
    assert set(kept) == {2, 3}
    assert kept.count(2) / 2000 == pytest.approx(0.3, abs=0.04)


def test_at_temperature_0_the_best_of_what_is_left_is_chosen():
    logits = np.log(np.array([0.1, 0.6, 0.3], np.float32))
    params = SamplingParams(temperature=0.0, xtc_probability=1.0, xtc_threshold=0.2)
    assert by_us(params, logits) == {2: 1.0}
    assert by_llama(params, logits) == {2: 1.0}


@given(SEEDS, st.lists(st.tuples(st.integers(0, 799), st.sampled_from([1.5, -2.0, 30.0, -np.inf])), max_size=8))
@settings(deadline=None, max_examples=50, derandomize=True)
def test_biases_are_llama_cpps(seed, biases):
    spelled = tuple(f"{token}{bias:+g}" for token, bias in dict(biases).items())
    params, logits = SamplingParams(temperature=0.8, logit_bias=spelled, presence_penalty=0.5), some_logits(seed)
    assert params.biases == tuple(dict(biases).items())
    assert_same(by_us(params, logits, [1, 2, 3]), by_llama(params, logits, [1, 2, 3]))


REPETITIVE = st.lists(st.sampled_from([65, 66, 67, 58, 104, 260]), max_size=120) | st.builds(
    lambda phrase, times: phrase * times, st.lists(st.integers(0, 319), min_size=1, max_size=9), st.integers(1, 9)
)
BREAKERS = st.sampled_from([(), DEFAULT_BREAKERS, (":",), ("he",), ("the h", "ab"), ("the the", "é"), ("x" * 50,)])


@given(
    REPETITIVE,
    BREAKERS,
    st.sampled_from([0.8, -0.5, 3.0]),
    st.sampled_from([1.0, 1.75, 2.0]),
    st.integers(0, 4),
    st.sampled_from([1, 5, 64, 1000]),
)
@settings(deadline=None, max_examples=300, derandomize=True)
def test_dry_lowers_what_llama_cpp_lowers(vocab, history, breakers, multiplier, base, allowed, last_n):
    params = SamplingParams(
        temperature=1.0,
        **OFF,
        dry_multiplier=multiplier,
        dry_base=base,
        dry_allowed_length=allowed,
        dry_penalty_last_n=last_n,
        dry_sequence_breakers=breakers,
    )
    logits = some_logits(1, 320)
    breakers_of = BreakerTokens(Vocabulary(vocab))
    assert_same(by_us(params, logits, history, breakers_of), by_llama(params, logits, history, vocab))


def test_dry_looks_back_as_far_as_it_may():
    history = [1, 2, 3, 4, *range(50, 150), 1, 2, 3]
    tokens, lengths = Dry(1.0, 2.0, 2, -1, {}).repeats(history)
    assert (tokens.tolist(), lengths.tolist()) == ([4], [3])
    assert not len(Dry(1.0, 2.0, 2, 100, {}).repeats(history)[0])


def test_a_repetition_of_thousands_of_tokens_weighs_no_more_than_a_number_holds():
    logits = some_logits(1, 10)
    lowered = Dry(1.0, 1.75, 2, -1, {}).applied(logits, [1, 2] * 5000)
    assert np.isfinite(lowered).all()
    assert np.argmin(lowered) == 1


@pytest.mark.parametrize("cut", [{"top_n_sigma": 1.5}, {"typical_p": 0.8}])
@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.5])
def test_all_together_are_in_llama_cpps_order(vocab, cut, temperature):
    """Not the two cuts at once: llama.cpp's entropy is not a number after tokens became impossible."""
    breakers_of = BreakerTokens(Vocabulary(vocab))
    equal = 0
    for seed in range(100):
        params = SamplingParams(
            temperature=temperature,
            top_k=40,
            top_p=0.95,
            min_p=0.02,
            repeat_penalty=1.3,
            frequency_penalty=0.2,
            dry_multiplier=0.8,
            xtc_probability=1.0,
            xtc_threshold=0.15,
            logit_bias=("65+4", "66-inf", "70+3"),
            **cut,
        )
        history = np.random.default_rng(seed).choice([65, 70, 71, 72], 60).tolist()
        logits = some_logits(seed, 320)
        ours, theirs = by_us(params, logits, history, breakers_of), by_llama(params, logits, history, vocab)
        if set(ours) == set(theirs):
            assert_same(ours, theirs)
            equal += 1
    assert equal >= 98
