"""The statistics line: what it says of speed, and when it says nothing."""

from dataclasses import replace

import pytest

from specchat.cli.answering.statistics import statistics
from specchat.speculative.events import GenerationFinished
from specchat.speculative.stats import GenerationStats

STATS = GenerationStats(
    prompt_tokens=10,
    cached_tokens=0,
    completion_tokens=100,
    prompt_seconds=1.0,
    predicted_seconds=3.0,
    draft_seconds=0.5,
    rounds=40,
    drafted=80,
    tested=70,
    accepted=60,
    accepted_per_position=(35, 25),
    drafted_by={"model": 80},
    pauses={},
    plain_seconds=6.0,
)


def items(**changes):
    stats = replace(STATS, **changes)
    return statistics(GenerationFinished(stats=stats, finish_reason="stop", text="", tokens=(), seed=1), n_ctx=1000)


def test_an_answer_is_compared_with_plain_decoding_of_the_same():
    assert "1.50 × as fast as plain" in items()
    assert "86% of 70 guesses by the draft accepted" in items()


@pytest.mark.parametrize(("tokens", "said"), [(23, "too short to compare"), (24, "1.50 × as fast as plain")])
def test_a_short_answer_is_compared_with_nothing(tokens, said):
    assert said in items(completion_tokens=tokens)


def test_where_too_few_plain_passes_were_made_that_is_said():
    assert "too few plain passes to compare" in items(plain_seconds=None)


def test_where_nothing_drafts_there_is_nothing_to_compare():
    said = items(plain_seconds=None, tested=0, accepted=0, drafted=0, drafted_by={})
    assert not any("compare" in item or "plain" in item for item in said)
