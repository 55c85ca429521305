import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.costs import CostCurve
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import DraftLength, FixedLength
from specchat.speculative.drafting import MODEL, NGRAM, Drafter, ModelDrafter, NoDrafter, SeveralDrafters
from specchat.speculative.lazy import LazyDrafter
from specchat.speculative.ngram import NgramDrafter
from specchat.speculative.noise import SeededNoise
from specchat.speculative.rounds import Round
from specchat.speculative.verification import CoupledVerification

from .fakes import CHAIN, FakeModel, Proposing, ScriptedDrafter, guesses, propose


def never(token: int) -> bool:
    return False


def generate(
    drafter: Drafter, length: int | DraftLength, room=40, seed=0, target: FakeModel | None = None, is_end=never
) -> tuple[list[int], list[Round]]:  # type: ignore[no-untyped-def]
    context = [0, 1, 2, 3]
    length = FixedLength(length) if isinstance(length, int) else length
    decoder = SpeculativeDecoder(target or FakeModel(memory=2), drafter, length, CHAIN, is_end)
    rounds = list(decoder.rounds(context, room, CoupledVerification(SeededNoise(seed))))
    return context[4:], rounds


def model_drafter(forgets: bool = False, n_ctx: int = 1000, seed: int = 0) -> ModelDrafter:
    return ModelDrafter(FakeModel(memory=1, seed=seed, forgets=forgets), never, n_ctx=n_ctx, n_vocab=4)


@given(st.integers(0, 6), st.integers(0, 1000), st.booleans(), st.integers(0, 1))
def test_the_text_is_the_same_with_any_draft(length: int, seed: int, forgets: bool, draft_seed: int):
    plain, _ = generate(NoDrafter(), 0, seed=seed)
    for drafter in (
        model_drafter(forgets, seed=draft_seed),
        NgramDrafter(),
        ScriptedDrafter(lambda context: [0] * 9),
        model_drafter(n_ctx=20),
    ):
        assert generate(drafter, length, seed=seed)[0] == plain


def test_a_target_that_cannot_roll_back_says_the_same():
    plain, _ = generate(NoDrafter(), 0)
    assert generate(model_drafter(), 4, target=FakeModel(memory=2, forgets=True))[0] == plain


def test_a_perfect_draft_is_accepted_whole():
    drafter = ModelDrafter(FakeModel(memory=2), never, n_ctx=1000, n_vocab=4)
    text, rounds = generate(drafter, 4, room=21)
    assert len(text) == 21
    assert [len(step.tokens) for step in rounds] == [1, 5, 5, 5, 5]
    assert all(step.verdict.accepted == len(step.draft.tokens) for step in rounds)


def test_the_first_round_drafts_nothing():
    """So the prompt is read in the same passes whatever is drafted, and the first token waits for nobody."""
    target = FakeModel()
    generate(model_drafter(), 4, target=target)
    assert target.passes[0] == 4


def test_the_draft_is_fed_only_what_it_has_not_seen():
    drafter = model_drafter()
    _, rounds = generate(drafter, 3)
    model = drafter.model
    assert isinstance(model, FakeModel)
    assert model.passes[0] == 5
    assert max(model.passes[1:]) == 2
    assert model.passes.count(2) <= sum(step.verdict.accepted == 3 for step in rounds)


def test_no_more_is_drafted_than_there_is_room_for():
    for room in range(1, 12):
        target = FakeModel(memory=2)
        text, _ = generate(model_drafter(), 8, room=room, target=target)
        assert len(text) == room
        assert len(target.cached) < 4 + room


def test_what_follows_an_end_inside_a_block_is_dropped():
    plain, _ = generate(NoDrafter(), 0)
    end = plain[7]
    place = plain.index(end)
    perfect = ScriptedDrafter(lambda context: plain[len(context) - 4 :])
    text, rounds = generate(perfect, 40, is_end=lambda token: token == end)
    assert text == plain[: place + 1]
    assert rounds[-1].tokens[-1] == end


def test_a_draft_model_stops_guessing_behind_an_end():
    drafter = ModelDrafter(FakeModel(), lambda token: True, n_ctx=1000, n_vocab=4)
    assert len(guesses(drafter, [0, 1], propose(seed=0))) == 1


def test_a_draft_model_keeps_one_way_back_a_round_behind_the_text():
    """Each is a copy of all its state, where a model is recurrent; and without one it would read all again."""
    model = FakeModel()
    drafter = ModelDrafter(model, never, n_ctx=1000, n_vocab=4)
    for context in ([0, 1, 2], [0, 1, 3, 1]):
        guesses(drafter, context, propose(seed=0), 5)
    assert model.keeps == [3, 4]


def test_a_draft_model_reads_what_is_forced_and_goes_on_from_there():
    model = FakeModel()
    drafter = ModelDrafter(model, never, n_ctx=1000, n_vocab=4)
    forced = Proposing(0, lambda text: [3, 2] if len(text) in (3, 6) else [])
    told = guesses(drafter, [0, 1, 2], forced, 6)
    assert [guess.is_forced for guess in told] == [True, True, False, True, True, False]
    assert model.cached == [0, 1, 2, *(guess.token for guess in told[:5])]
    assert model.passes == [3, 2, 3]
    assert drafter.offers([0, 1, 2], forced)[0].forced == 2
    free = [guess.token for guess in guesses(drafter, [0, 1, 2, 3, 2], propose(0), 1)]
    assert free == [told[2].token]


@pytest.mark.parametrize(("forgets", "passes"), [(False, [4]), (True, [2, 2])])
def test_a_draft_that_cannot_go_back_keeps_a_way_back_before_what_is_forced(forgets: bool, passes: list[int]):
    model = FakeModel(forgets=forgets, cached=[3, 3])
    drafter = ModelDrafter(model, never, n_ctx=1000, n_vocab=4)
    guesses(drafter, [0, 1], Proposing(0, lambda text: [3, 2] if len(text) == 2 else []), 3)
    assert (model.passes, model.keeps) == (passes, [2] if forgets else [])


def test_what_is_forced_may_be_no_token_of_the_draft():
    drafter = ModelDrafter(FakeModel(), never, n_ctx=1000, n_vocab=4)
    assert [guess.token for guess in guesses(drafter, [0, 1], Proposing(0, lambda text: [7, 2]))] == [7, 2]


def test_a_draft_model_never_guesses_what_the_target_does_not_have():
    drafter = ModelDrafter(FakeModel(n_vocab=9), never, n_ctx=1000, n_vocab=4, forbidden=(2,))
    drafted: set[int] = set()
    for seed in range(20):
        drafted.update(guess.token for guess in guesses(drafter, [seed % 4], propose(seed), 5))
    assert drafted == {0, 1, 3}


def test_nothing_is_drafted_after_a_token_that_the_draft_does_not_know():
    """A target may have more tokens than its draft: padding, or control tokens that were added later."""
    drafter = ModelDrafter(FakeModel(n_vocab=4), never, n_ctx=1000, n_vocab=4)
    assert guesses(drafter, [0, 7, 1], propose(seed=0)) == []
    assert len(guesses(drafter, [0, 2, 1], propose(seed=0), 3)) == 3


class Steady(CostCurve):
    """Costs that stay what they are, whatever a fake takes."""

    def observe(self, length: int, seconds: float) -> None:
        pass


@pytest.mark.parametrize("seed", range(4))
def test_the_text_is_the_same_with_adaptive_lengths_and_every_source(seed: int):
    plain, _ = generate(NoDrafter(), 0, seed=seed)
    lazy = LazyDrafter(lambda: model_drafter(seed=seed), 0.0, n_ctx=1000, n_vocab=4)
    for drafter in (NgramDrafter(), model_drafter(), SeveralDrafters((NgramDrafter(), lazy))):
        known = sources((NGRAM, MODEL), Steady({1: 1e-9, 64: 1e-9}), share=0.1)
        length = AdaptiveLength(Steady({1: 1.0, 17: 1.001}), known, most=8)
        text, rounds = generate(drafter, length, seed=seed)
        assert text == plain
        assert sum(len(step.draft) for step in rounds) > 0


def test_accepted_tokens_behind_the_end_are_not_counted():
    plain, _ = generate(NoDrafter(), 0)
    end = plain[3]
    perfect = ScriptedDrafter(lambda context: plain[len(context) - 4 :])
    text, rounds = generate(perfect, 40, is_end=lambda token: token == end)
    assert sum(step.accepted for step in rounds) < len(text)
    assert sum(step.tested for step in rounds) < len(text)


def test_the_index_goes_on_where_an_answer_was_cut():
    whole, _ = generate(NoDrafter(), 0, room=20)
    context = [0, 1, 2, 3, *whole[:8]]
    decoder = SpeculativeDecoder(FakeModel(memory=2), NoDrafter(), FixedLength(0), CHAIN, never)
    for _ in decoder.rounds(context, 12, CoupledVerification(SeededNoise(0)), index=8):
        pass
    assert context[4:] == whole
