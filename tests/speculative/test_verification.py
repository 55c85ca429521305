"""Exactness by enumeration: over all outcomes of chance, the text has exactly the target's distribution."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.distribution import TokenDistribution
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import Draft, Drafter, ModelDrafter, NoDrafter
from specchat.speculative.noise import SeededNoise
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.verification import (
    CoupledVerification,
    RejectionVerification,
    Verification,
    VerificationName,
    verification,
)

from .fakes import BranchingNoise, FakeModel, ScriptedDrafter, certain, law

PLAIN = SamplingParams(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0)
SETTINGS = [
    PLAIN,
    SamplingParams(temperature=0.6, top_k=2, top_p=1.0, min_p=0.0),
    SamplingParams(temperature=1.7, top_k=0, top_p=0.7, min_p=0.0),
    SamplingParams(temperature=1.0, top_k=0, top_p=1.0, min_p=0.4),
    SamplingParams(temperature=0.0),
    SamplingParams(temperature=1.0, top_k=0, repeat_penalty=1.8, presence_penalty=0.3, frequency_penalty=0.4),
    replace(PLAIN, typical_p=0.6),
    replace(PLAIN, top_n_sigma=1.2, logit_bias=("1+0.7",)),
    replace(PLAIN, xtc_probability=0.4, xtc_threshold=0.2),
    replace(PLAIN, dry_multiplier=0.8, dry_allowed_length=1),
]
PROMPT = [0, 1]
LENGTH = 3
END = 2


def never(token: int) -> bool:
    return False


def drafters() -> dict[str, Drafter]:
    return {
        "none": NoDrafter(),
        "model": ModelDrafter(FakeModel(3, seed=1), never, n_ctx=100, n_vocab=3),
        "forbidden": ModelDrafter(FakeModel(3, seed=1), never, n_ctx=100, n_vocab=3, forbidden=(1,)),
        "certain": ScriptedDrafter(lambda context: [1, 0, 1]),
    }


def texts(name: VerificationName, params: SamplingParams, drafter: str, is_end=never):  # type: ignore[no-untyped-def]
    """The distribution of the first tokens that the whole loop generates."""

    def run(noise: BranchingNoise) -> tuple[int, ...]:
        chain = SamplerChain(params).of_answer(noise, len(PROMPT))
        decoder = SpeculativeDecoder(FakeModel(3), drafters()[drafter], FixedLength(2), chain, is_end)
        context = list(PROMPT)
        for _ in decoder.rounds(context, LENGTH, verification(name, noise)):
            pass
        return tuple(context[len(PROMPT) :])

    return law(run)


def sides_of_the_coin(params: SamplingParams) -> list[tuple[float, SamplerChain]]:
    """The chains with XTC always and never, and how likely each is."""
    if not params.excludes:
        return [(1.0, SamplerChain(params))]
    always = SamplerChain(replace(params, xtc_probability=1.0)).of_answer(SeededNoise(0), 0)
    never = SamplerChain(replace(params, xtc_probability=0.0))
    return [(params.xtc_probability, always), (1 - params.xtc_probability, never)]


def target_law(params: SamplingParams, is_end=never) -> dict[tuple[int, ...], float]:  # type: ignore[no-untyped-def]
    """What the target alone says, from its probabilities, by no code of the loop."""
    model, sides = FakeModel(3), sides_of_the_coin(params)
    laws: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(LENGTH):
        longer: dict[tuple[int, ...], float] = {}
        for text, weight in laws.items():
            if text and is_end(text[-1]):
                longer[text] = weight
                continue
            context = [*PROMPT, *text]
            for chance, chain in sides:
                distribution = chain.distribution(np.array(model.logits(context), np.float32), context)
                for token, logprob in zip(distribution.tokens.tolist(), distribution.logprobs, strict=True):
                    told = (*text, token)
                    longer[told] = longer.get(told, 0.0) + weight * chance * float(np.exp(logprob))
        laws = longer
    return laws


@pytest.mark.parametrize("params", SETTINGS)
@pytest.mark.parametrize("drafter", ["none", "model", "certain"])
@pytest.mark.parametrize("name", ["coupled", "rejection"])
def test_the_loop_has_the_law_of_the_target(name: VerificationName, drafter: str, params: SamplingParams):
    assert texts(name, params, drafter) == pytest.approx(target_law(params), abs=1e-12)


@pytest.mark.parametrize("name", ["coupled", "rejection"])
def test_tokens_that_may_not_be_drafted_are_generated_all_the_same(name: VerificationName):
    assert texts(name, PLAIN, "forbidden") == pytest.approx(target_law(PLAIN), abs=1e-12)


@pytest.mark.parametrize("name", ["coupled", "rejection"])
def test_texts_that_end_inside_a_block_keep_the_law(name: VerificationName):
    def is_end(token: int) -> bool:
        return token == END

    assert texts(name, PLAIN, "model", is_end) == pytest.approx(target_law(PLAIN, is_end), abs=1e-12)


def distribution(weights: Sequence[float]) -> TokenDistribution:
    return TokenDistribution.from_logits(np.arange(len(weights), dtype=np.int32), np.log(np.array(weights)))


def test_coupled_verification_keeps_every_draft_up_to_its_first_wrong_token():
    targets = [distribution([0.2, 0.5, 0.3]), distribution([0.6, 0.1, 0.3]), distribution([0.3, 0.3, 0.4])]
    judge = CoupledVerification(SeededNoise(7))
    right = judge.verify(Draft(), targets[:1], 0).tokens
    right += judge.verify(Draft(), targets[1:2], 1).tokens + judge.verify(Draft(), targets[2:], 2).tokens
    for guess in product(range(3), repeat=2):
        verdict = judge.verify(certain(guess), targets, 0)
        agree = next((place for place in range(2) if guess[place] != right[place]), 2)
        assert verdict.tokens == right[: agree + 1]
        assert (verdict.accepted, verdict.tested) == (agree, min(agree + 1, 2))


@pytest.mark.parametrize("judge", [CoupledVerification(SeededNoise(1)), RejectionVerification(SeededNoise(1))])
def test_the_empty_draft_gives_one_token(judge: Verification):
    verdict = judge.verify(Draft(), [distribution([0.5, 0.5])], 0)
    assert len(verdict.tokens) == 1
    assert (verdict.accepted, verdict.tested) == (0, 0)


@pytest.mark.parametrize("judge", [CoupledVerification(SeededNoise(1)), RejectionVerification(SeededNoise(1))])
def test_rows_behind_a_rejection_are_not_looked_at(judge: Verification):
    def targets():  # type: ignore[no-untyped-def]
        yield TokenDistribution.point(0)
        raise AssertionError("nobody needs this row")

    assert judge.verify(certain([1, 1]), targets(), 0).tokens == (0,)
