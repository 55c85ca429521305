from dataclasses import replace

import pytest

from specchat.speculative.drafting import FORM, MODEL, Draft, Guess
from specchat.speculative.rounds import Round
from specchat.speculative.stats import generation_stats
from specchat.speculative.verification import Verdict

from .fakes import certain

ROUNDS = [
    Round(Draft(), Verdict((5,), 0, 0), (5,), 0.0, 0.5),
    Round(certain([1, 2, 3]), Verdict((1, 9), 1, 2), (1, 9), 0.25, 0.5),
    Round(certain([1, 2, 3]), Verdict((1, 2, 3, 4), 3, 3), (1, 2, 3, 4), 0.25, 0.5),
]


def stats(rounds: list[Round], completion: int):  # type: ignore[no-untyped-def]
    return generation_stats(
        rounds,
        prompt_tokens=10,
        cached_tokens=4,
        completion_tokens=completion,
        prompt_seconds=2.0,
        predicted_seconds=3.5,
    )


def test_rates_count_only_what_was_tested():
    added = stats(ROUNDS, 7)
    assert (added.drafted, added.tested, added.accepted) == (6, 5, 4)
    assert added.acceptance_rate == pytest.approx(4 / 5)
    assert added.draft_yield == pytest.approx(4 / 6)
    assert added.tokens_per_round == pytest.approx(7 / 3)
    assert added.accepted_per_position == (2, 1, 1)
    assert added.draft_seconds == 0.5


def test_speeds_leave_cached_tokens_out():
    added = stats(ROUNDS, 7)
    assert added.prompt_per_second == 3.0
    assert added.predicted_per_second == 2.0


def test_the_speedup_is_over_what_plain_passes_took():
    """2 s for the prompt, then 6 tokens in two drafted rounds, 0.75 s each, and one in a plain round, 0.5 s."""
    rounds = [
        *(replace(step, plain_seconds=0.5) for step in ROUNDS),
        Round(Draft(), Verdict((5,), 0, 0), (5,), 0.0, 0.5),
    ]
    rounds[-1] = replace(rounds[-1], plain_seconds=0.5)
    whole = 2.0 + 2 * 0.75 + 0.5
    added = generation_stats(
        rounds,
        prompt_tokens=10,
        cached_tokens=4,
        completion_tokens=8,
        prompt_seconds=2.0,
        predicted_seconds=whole - 2.0,
    )
    assert added.plain_seconds == pytest.approx(2.0 + 7 * 0.5)
    assert added.speedup == pytest.approx(5.5 / whole)
    beside = replace(added, predicted_seconds=added.predicted_seconds + 9, plain_seconds=added.plain_seconds + 9)
    assert beside.speedup != pytest.approx(5.5 / whole)  # it was interrupted for 9 s
    assert beside.speedup_of(whole) == pytest.approx(5.5 / whole)


def test_without_a_measured_plain_pass_there_is_no_speedup():
    assert stats(ROUNDS, 7).speedup is None


def test_a_draft_that_only_measures_is_no_guess():
    measuring = Round(Draft().padded(3), Verdict((9,), 0, 1), (9,), 0.0, 0.5)
    assert stats([ROUNDS[0], measuring], 2).acceptance_rate is None


def test_a_draft_of_a_model_may_hold_guesses_of_the_form():
    guesses = (Guess(1, None, is_forced=True), Guess.certain(2), Guess(3, None, is_forced=True))
    mixed = Round(Draft(guesses, MODEL).padded(5), Verdict((1, 9), 1, 2), (1, 9), 0.0, 0.5)
    assert stats([ROUNDS[0], mixed], 3).drafted_by == {FORM: 2, MODEL: 1}


def test_padding_is_no_guess():
    padded = Round(certain([1]).padded(3), Verdict((1, 9), 1, 2), (1, 9), 0.25, 0.5)
    lucky = Round(certain([1]).padded(3), Verdict((1, 0, 0, 9), 3, 3), (1, 0, 0, 9), 0.25, 0.5)
    for step in (padded, lucky):
        added = stats([ROUNDS[0], step], 1 + len(step.tokens))
        assert (added.drafted, added.tested, added.accepted) == (1, 1, 1)


def test_runs_of_rounds_without_a_draft_are_pauses_with_their_usual_reason():
    def plain(reason):  # type: ignore[no-untyped-def]
        return Round(Draft(pause=reason), Verdict((5,), 0, 0), (5,), 0.0, 0.5)

    empty, poor = plain("nothing to guess"), plain("would not pay")
    rounds = [plain(None), empty, poor, poor, ROUNDS[1], empty, ROUNDS[1], poor, plain(None)]
    assert stats(rounds, 11).pauses == {"would not pay": 2, "nothing to guess": 1}


def test_nothing_drafted_has_no_rate():
    added = stats([], 0)
    assert (added.acceptance_rate, added.draft_yield, added.tokens_per_round) == (None, None, None)
