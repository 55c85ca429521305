"""When a drafter is tried of which little is known."""

from bisect import bisect_left
from dataclasses import replace
from itertools import count

import pytest

from specchat.speculative.costs import CostCurve
from specchat.speculative.drafting import MODEL, Guess, Offer
from specchat.speculative.prices import Prices
from specchat.speculative.source import Source

STEP, BEHIND = 0.15, 100
PASSES = [1 + 0.1 * guesses for guesses in range(9)]
MOODS = [place / 50 for place in range(-150, 300)]
ROUNDS = 50


def drafts(mood: float, reading: float, setback: float, known: bool) -> bool:
    """Whether it drafts within some rounds of a text in this mood; prices are in plain passes, as seconds are."""
    source = Source(CostCurve({1: STEP, 1 + BEHIND: STEP + reading}), count().__next__)
    if known:
        source.by_mood = replace(source.by_mood, _p00=0.0, _p11=0.0)
    prices = Prices(PASSES, rate=1.0, left=1000, setback=setback)
    offers = (Offer(MODEL, iter([Guess.certain(1, 9.0)] * 8), BEHIND) for _ in range(ROUNDS))
    return any(source.take(offer, prices, mood, prices.plain)[0] for offer in offers)


def sooner(reading: float, setback: float = 0.0) -> float:
    """By how much worse a mood may be for a first draft where little is known than where all is."""
    known, unknown = (
        MOODS[bisect_left(MOODS, True, key=lambda mood, known=known: drafts(mood, reading, setback, known))]
        for known in (True, False)
    )
    return known - unknown


@pytest.mark.parametrize("reading", [0.0, 3.0])
def test_what_is_not_known_speaks_for_a_try_that_is_cheap(reading):
    assert sooner(reading) > 0


@pytest.mark.parametrize(("reading", "setback"), [(9.0, 0.0), (0.0, 3.0)])
def test_what_is_not_known_speaks_against_a_try_that_is_dear(reading, setback):
    """Going back is dearer than reading that takes as long: it comes again with each wrong guess."""
    assert sooner(reading, setback) < 0


def test_more_speaks_for_a_cheap_try_than_against_a_dear_one():
    assert sooner(0.0) > 1.5 * -sooner(9.0)
