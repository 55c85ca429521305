"""Which pass lengths agree, and what they cost."""

import pytest

from specchat.speculative.exact import PassLengths, agreeing, cost, seconds_a_token
from specchat.speculative.rounding import Rounding

SECONDS = {1: 4.0, 2: 6.0, 3: 7.0, 4: 8.0, 8: 10.0}


def rounding(from_one, from_two):
    """Differences by length, from 2 on of passes over one token, from 3 on of passes over two."""
    return Rounding(
        context=9,
        differences={1: dict(zip((2, 3, 4, 8), from_one, strict=True)), 2: dict(zip((3, 4, 8), from_two, strict=True))},
        seconds=SECONDS,
    )


CLEAN = rounding((0, 0, 0, 0), (0, 0, 0))


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        ([CLEAN], [PassLengths(1, 8)]),
        ([rounding((1, 1, 1, 1), (0, 0, 0))], [PassLengths(2, 8)]),
        ([rounding((0, 0, 1, 1), (0, 1, 1))], [PassLengths(1, 3)]),
        ([rounding((0, 0, 1, 0), (0, 1, 0))], [PassLengths(1, 3)]),
        ([rounding((0, 1, 1, 1), (1, 1, 1))], [PassLengths(1, 2)]),
        ([rounding((1, 1, 1, 1), (1, 1, 1))], []),
        ([CLEAN, rounding((1, 1, 1, 1), (0, 0, 0))], [PassLengths(2, 8)]),
        ([rounding((0, 0, 0, 1), (0, 0, 1)), rounding((1, 1, 1, 1), (0, 0, 0))], [PassLengths(2, 4)]),
    ],
)
def test_lengths_agree_up_to_the_first_that_does_not_anywhere(measured, expected):
    assert list(agreeing(measured)) == expected


def test_a_pass_of_two_stands_for_one_only_where_more_lengths_agree_with_it():
    further = rounding((0, 1, 1, 1), (0, 0, 0))  # cannot be, but is what would be asked for
    assert list(agreeing([further])) == [PassLengths(1, 2), PassLengths(2, 8)]


def test_padded_plain_passes_and_short_drafts_cost_more():
    assert seconds_a_token(PassLengths(1, 8), CLEAN) == (4.0, 10 / 8)
    assert seconds_a_token(PassLengths(2, 8), CLEAN) == (6.0, 10 / 8)
    assert seconds_a_token(PassLengths(1, 3), CLEAN) == (4.0, 7 / 3)
    costs = [cost(lengths, CLEAN) for lengths in (PassLengths(1, 8), PassLengths(1, 3), PassLengths(2, 8))]
    assert costs == sorted(costs)
