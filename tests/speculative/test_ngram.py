from collections.abc import Sequence
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.drafting import Guess
from specchat.speculative.ngram import NgramDrafter, quote
from specchat.speculative.sampling import Logits

CONTEXT = [5, 1, 2, 3, 4, 9, 1, 2, 3, 7, 8, 1, 2, 3]


def nobody(logits: Logits, text: Sequence[int]) -> Guess:
    raise AssertionError("n-grams have no logits to choose from")


def guesses(drafter: NgramDrafter, context: Sequence[int], budget: int = 3) -> tuple[int, ...]:
    return tuple(guess.token for guess in islice(drafter.guesses(context, nobody), budget))


def test_it_quotes_what_followed_the_latest_occurrence():
    assert guesses(NgramDrafter(), CONTEXT) == (7, 8, 1)


def test_a_longer_match_wins_over_a_later_one():
    assert guesses(NgramDrafter(), [6, 1, 2, 3, 4, 9, 2, 3, 5, 6, 1, 2, 3], 1) == (4,)


@pytest.mark.parametrize("context", [[1], [1, 2], [1, 2, 3, 4, 5], [1, 2, 1]])
def test_a_new_end_gives_no_draft(context: list[int]):
    assert guesses(NgramDrafter(), context) == ()


def test_a_loop_is_quoted_as_long_as_wanted():
    assert guesses(NgramDrafter(), [1, 2, 1, 2], 5) == (1, 2, 1, 2, 1)
    assert list(islice(quote([7, 8, 9], 1), 5)) == [8, 9, 8, 9, 8]


@given(st.lists(st.lists(st.integers(0, 2), max_size=25), min_size=1, max_size=6))
def test_the_index_follows_a_context_that_is_taken_back(contexts: list[list[int]]):
    drafter = NgramDrafter()
    for context in contexts:
        assert guesses(drafter, context) == guesses(NgramDrafter(), context)
