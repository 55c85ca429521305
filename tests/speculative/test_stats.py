import pytest

from specchat.speculative.drafting import Draft
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


def test_nothing_drafted_has_no_rate():
    added = stats([], 0)
    assert (added.acceptance_rate, added.draft_yield, added.tokens_per_round) == (None, None, None)
