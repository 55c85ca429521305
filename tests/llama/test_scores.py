"""Log-probabilities of what was said, and samplers with a chance or a memory, with drafting on and off."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from specchat.speculative.distribution import TokenDistribution
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.errors import UsageError
from specchat.speculative.events import RoundFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.logprobs import scored
from specchat.speculative.noise import SeededNoise

from ..speculative.fakes import ScriptedDrafter
from .raw import raw_model

PROMPT = [40, 41, 42, 43, 44, 45]
CONFIG = LlamaConfig(n_ctx=512, threads=1, cache_type_k="f32", cache_type_v="f32", flash_attention="off", repack=False)
NEAR = 1e-4  # passes of different lengths agree to 1e-5 on these models


@pytest.fixture(scope="module")
def target_path(write_tiny_model):
    return write_tiny_model(n_vocab=280)


@pytest.fixture(scope="module")
def draft_path(write_tiny_model):
    return write_tiny_model(n_vocab=280, noise=0.1)


def loaded_pair(target, draft, **settings):
    settings = {"target_config": CONFIG, "draft_config": CONFIG, "draft_length": 5, "scores": 3, **settings}
    return load_pair(PairConfig(target=target, draft=draft, **settings), Interrupt())


def told(pair, seed, prompt=PROMPT, stop=(), max_tokens=40, **changes):
    """The rounds of an answer and how it ended, with empty caches."""
    pair.target.rollback(0)
    decoder = replace(pair.session.decoder, **changes)
    if hasattr(decoder.drafter, "model"):
        decoder.drafter.model.rollback(0)
    *events, last = pair.session.afresh(decoder, seed).generate(prompt, max_tokens=max_tokens, stop=stop)
    return [event.round for event in events if isinstance(event, RoundFinished)], last


def log_softmax(logits):
    scores = logits.astype(np.float64)
    return scores - np.logaddexp.reduce(scores)


def check(pair, raw, finished):
    """What was scored is what an independent model says, token by token."""
    assert [each.chosen.token for each in finished.scored] == list(finished.tokens)
    noise = SeededNoise(finished.seed)
    chain = pair.session.decoder.chain.of_answer(noise, len(PROMPT))
    text = list(PROMPT)
    for each in finished.scored:
        row = raw.logits(text)
        expected, after = log_softmax(row), chain.distribution(row, text)
        assert each.chosen.logprob == pytest.approx(expected[each.chosen.token], abs=NEAR)
        assert np.exp(each.chosen.sampled) == pytest.approx(after.probability(each.chosen.token), abs=NEAR)
        assert [best.logprob for best in each.best] == pytest.approx(
            sorted(expected)[: -len(each.best) - 1 : -1], abs=NEAR
        )
        assert all(best.logprob == pytest.approx(expected[best.token], abs=NEAR) for best in each.best)
        assert all(left.logprob >= right.logprob for left, right in pairwise(each.best))
        text.append(each.chosen.token)


@pytest.mark.parametrize("draft", ["model", "ngram", "none"])
@pytest.mark.parametrize("verification", ["coupled", "rejection"])
def test_log_probabilities_are_those_of_a_softmax_that_shares_no_code(target_path, draft_path, draft, verification):
    path = draft_path if draft == "model" else draft
    with loaded_pair(target_path, path, verification=verification) as pair, raw_model(target_path) as raw:
        for seed in range(4):
            check(pair, raw, told(pair, seed)[1])


def test_they_are_the_same_with_and_without_a_draft(target_path, draft_path):
    accepted, worst = 0, 0.0
    with loaded_pair(target_path, draft_path, sampling={"temperature": 1.0}) as pair:
        for seed in range(10):
            _, plain = told(pair, seed, drafter=NoDrafter())
            _, drafted = told(pair, seed)
            assert drafted.tokens == plain.tokens
            accepted += drafted.stats.accepted
            pairs = list(zip(plain.scored, drafted.scored, strict=True))
            worst = max(worst, *(abs(left.chosen.logprob - right.chosen.logprob) for left, right in pairs))
            worst = max(worst, *(abs(left.chosen.sampled - right.chosen.sampled) for left, right in pairs))
    assert accepted > 50
    print(f"worst {worst:.2e}")
    assert worst < NEAR


def test_the_same_rows_give_the_same_bits():
    """Whatever was drafted: they are a function of the row and the distribution."""
    row = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
    distribution = TokenDistribution.from_logits(np.array([5, 9], np.int32), row[[5, 9]])
    first = scored(row, distribution, 5, 4)
    assert first == scored(row.copy(), distribution, 5, 4)
    assert first.chosen.sampled == distribution.logprobs[0]
    assert [each.token for each in first.best] == np.argsort(-row)[:4].tolist()
    assert {each.sampled for each in first.best} == {-np.inf}
    assert len(scored(row[:3], distribution, 2, 10).best) == 3
    assert scored(row, distribution, 5, 0).best == ()


def test_the_end_token_is_scored_and_nothing_behind_it(target_path):
    sampling = {"temperature": 1.5, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
    with loaded_pair(target_path, "none", sampling=sampling) as pair:
        seeds = (seed for seed in range(300) if told(pair, seed)[1].finish_reason == "stop")
        seed = next(seeds)
        _, plain = told(pair, seed)
        assert pair.target.vocabulary.is_end(plain.scored[-1].chosen.token)
        behind = [*PROMPT, *plain.tokens, *range(10, 30)]
        drafter = ScriptedDrafter(lambda context: behind[len(context) :])
        rounds, drafted = told(pair, seed, drafter=drafter, draft_length=FixedLength(5))
        assert [each.chosen.token for each in drafted.scored] == list(plain.tokens)
        assert all(len(step.scored) == len(step.tokens) for step in rounds)


def test_tokens_behind_a_stop_string_are_not_there(target_path):
    with loaded_pair(target_path, "none") as pair:
        _, whole = told(pair, 3)
        piece = pair.target.vocabulary.piece
        place = next(place for place, token in enumerate(whole.tokens) if place > 3 and piece(token).isascii())
        stop = piece(whole.tokens[place]).decode()
        first = next(place for place, token in enumerate(whole.tokens) if stop.encode() in piece(token))
        text = [*PROMPT, *whole.tokens]
        drafter = ScriptedDrafter(lambda context: text[len(context) :])
        rounds, finished = told(pair, 3, stop=(stop,), drafter=drafter, draft_length=FixedLength(5))
        assert finished.finish_reason == "stop_string"
        assert [each.chosen.token for each in finished.scored] == list(whole.tokens[: first + 1])
        assert len(rounds[-1].scored) == len(rounds[-1].tokens)


def test_nothing_is_scored_unasked(target_path):
    with loaded_pair(target_path, "none", scores=None) as pair:
        rounds, finished = told(pair, 1)
        assert (finished.scored, {step.scored for step in rounds}) == ((), {()})


SAMPLERS = {
    "xtc": {"xtc_probability": 0.5, "xtc_threshold": 0.15},
    "dry": {"dry_multiplier": 0.8, "dry_allowed_length": 1, "dry_penalty_last_n": -1, "presence_penalty": -3.0},
    "typical-p": {"typical_p": 0.7},
    "top-n-sigma": {"top_n_sigma": 1.5},
    "logit bias": {"logit_bias": ("65+5", "66+4.5", "67-inf")},
    "xtc at temperature 0": {"temperature": 0.0, "xtc_probability": 0.5},
}


@pytest.mark.parametrize("draft", ["model", "ngram"])
@pytest.mark.parametrize("name", SAMPLERS)
def test_texts_are_the_same_with_and_without_a_draft(target_path, draft_path, name, draft):
    sampling = {"temperature": 1.0, **SAMPLERS[name]}
    accepted = rejected = 0
    with loaded_pair(target_path, draft_path if draft == "model" else draft, sampling=sampling, scores=None) as pair:
        unlike = told(
            pair, 0, drafter=NoDrafter(), chain=replace(pair.session.decoder.chain, params=type(pair.sampling)())
        )
        for seed in range(12):
            _, plain = told(pair, seed, drafter=NoDrafter())
            _, drafted = told(pair, seed)
            assert drafted.tokens == plain.tokens
            accepted += drafted.stats.accepted
            rejected += drafted.stats.tested - drafted.stats.accepted
            assert seed or plain.tokens != unlike[1].tokens
    if draft == "model":
        assert accepted > 30
        assert rejected > 10


def test_an_answer_that_goes_on_has_the_chance_of_its_place(target_path):
    """XTC's chance is by the place in the answer, however that is cut into generations."""
    with loaded_pair(target_path, "none", sampling={"temperature": 0.0, **SAMPLERS["xtc"]}) as pair:
        _, whole = told(pair, 5, max_tokens=30)
        session = pair.session.afresh(pair.session.decoder, 5)
        *_, more = session.generate([*PROMPT, *whole.tokens[:10]], max_tokens=20, index=10, seed=whole.seed)
        assert more.tokens == whole.tokens[10:30]


def test_a_bias_of_a_token_that_is_not_there_is_refused(target_path):
    with pytest.raises(UsageError, match=r"names the token 280, but .* has none above 279\."):
        loaded_pair(target_path, "none", sampling={"logit_bias": ("280+1",)})


def test_a_mark_has_a_name_and_no_bytes(target_path):
    with loaded_pair(target_path, "none") as pair:
        end = min(pair.target.vocabulary.end_tokens)
        assert pair.spelled(end) == ("<|endoftext|>", b"")
        assert pair.spelled(pair.target.vocabulary.tokenize("the", False)[0])[1] == b"t"
