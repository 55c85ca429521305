import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.drafting import Guess
from specchat.speculative.ngram import NgramDrafter
from specchat.speculative.sampling import Logits

from .fakes import guesses

CONTEXT = [5, 1, 2, 3, 4, 9, 1, 2, 3, 7, 8, 1, 2, 3]


def nobody(logits: Logits, text: Sequence[int]) -> Guess:
    raise AssertionError("n-grams have no logits to choose from")


def quoted(drafter: NgramDrafter, context: Sequence[int], most: int = 3) -> tuple[int, ...]:
    return tuple(guess.token for guess in guesses(drafter, context, nobody, most))


def test_it_quotes_what_followed_the_latest_occurrence():
    assert quoted(NgramDrafter(), CONTEXT) == (7, 8, 1)


def test_a_longer_match_wins_over_a_later_one():
    assert quoted(NgramDrafter(), [6, 1, 2, 3, 4, 9, 2, 3, 5, 6, 1, 2, 3], 1) == (4,)


@pytest.mark.parametrize("context", [[1], [1, 2], [1, 2, 3, 4, 5], [1, 2, 1]])
def test_a_new_end_gives_no_draft(context: list[int]):
    assert quoted(NgramDrafter(), context) == ()


def test_a_loop_is_quoted_as_long_as_wanted():
    assert quoted(NgramDrafter(), [1, 2, 1, 2], 5) == (1, 2, 1, 2, 1)


def test_of_several_occurrences_the_one_that_agrees_for_longest_is_quoted():
    text = [1, 2, 3, 4, 5, 6, 60, 0, 3, 4, 5, 6, 61, 0, 1, 2, 3, 4, 5, 6]
    assert quoted(NgramDrafter(), text, 1) == (60,)


def test_the_lead_grows_with_the_agreement():
    for text, agreement in (([7, 1, 2, 9, 1, 2], 2), ([5, 1, 2, 3, 4, 9, 1, 2, 3, 4], 4)):
        first, second = guesses(NgramDrafter(), text, nobody, 2)
        assert first.lead == pytest.approx(math.log2(agreement))
        assert second.lead == pytest.approx(math.log2(agreement + 1))


def test_a_quote_is_taken_up_again_behind_what_was_changed_in_it():
    """`a = x + 1` with x renamed: the new name occurs nowhere, what follows it only in the text that is edited."""
    original = [10, 11, 50, 12, 13, 14, 15, 50, 16, 17, 18]
    text = [*original, 99, 10, 11]
    drafter = NgramDrafter()
    assert quoted(drafter, text) == (50, 12, 13)
    text.append(51)
    assert quoted(drafter, text) == ()
    text.append(12)
    assert quoted(drafter, text) == (13, 14, 15)


def test_a_long_quote_goes_on_right_behind_a_token_that_was_replaced_in_it():
    original = list(range(10, 40))
    drafter, text = NgramDrafter(), [*original, 99, *original[:12]]
    assert quoted(drafter, text) == (22, 23, 24)
    text.append(51)
    first, _ = guesses(drafter, text, nobody, 2)
    assert (first.token, first.lead) == (23, pytest.approx(math.log2(12 // 3)))


def test_what_agrees_before_a_replaced_token_counts_by_a_third():
    original = list(range(10, 40))
    text = [*original, 99, *original[:12], 51, *original[13:16]]
    first, _ = guesses(NgramDrafter(), text, nobody, 2)
    assert (first.token, first.lead) == (26, pytest.approx(math.log2(3 + 12 // 3)))


def test_the_index_grows_with_the_text_of_an_answer():
    drafter, text = NgramDrafter(), [1, 2, 3, 9]
    for token in (1, 2, 3, 9, 1, 2, 3):
        text.append(token)
        assert quoted(drafter, text) == quoted(NgramDrafter(), list(text))


@given(st.lists(st.lists(st.integers(0, 2), max_size=25), min_size=1, max_size=6))
def test_the_index_follows_a_context_that_is_taken_back(contexts: list[list[int]]):
    drafter = NgramDrafter()
    for context in contexts:
        assert quoted(drafter, context) == quoted(NgramDrafter(), context)
