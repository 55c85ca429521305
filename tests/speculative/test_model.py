import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.model import advance, common_prefix, read_ahead

from .fakes import FakeModel

texts = st.lists(st.integers(0, 3), min_size=1, max_size=30)


@given(texts, texts)
def test_the_common_prefix_is_where_they_part(left: list[int], right: list[int]):
    length = common_prefix(left, right)
    assert left[:length] == right[:length]
    assert length == min(len(left), len(right)) or left[length] != right[length]


@given(st.lists(texts, min_size=1, max_size=6), st.integers(0, 3), st.booleans())
def test_advance_gives_the_rows_of_a_new_model_whatever_the_cache_holds(
    contexts: list[list[int]], n_logits: int, forgets: bool
):
    model = FakeModel(forgets=forgets)
    for context in contexts:
        wanted = min(n_logits, len(context))
        rows = advance(model, context, wanted)
        assert model.cached == context
        assert (rows == FakeModel().decode(context, wanted)).all()


def test_advance_decodes_only_what_is_new():
    model = FakeModel()
    advance(model, [1, 2, 3, 0, 0], 1)
    advance(model, [1, 2, 3, 1], 1)
    advance(model, [1, 2, 3, 1], 1)
    assert model.passes == [5, 1, 1]


@pytest.mark.parametrize(("length", "passes"), [(1, []), (4, []), (5, [4]), (9, [4, 4])])
def test_reading_ahead_leaves_at_most_a_piece(length: int, passes: list[int]):
    model = FakeModel()
    context = list(range(length))
    read = list(read_ahead(model, context, kept=0, piece=4))
    assert read == np.cumsum([0, *passes]).tolist()
    assert model.passes == passes
    assert 1 <= len(context) - len(model.cached) <= 4


def test_reading_ahead_reuses_no_more_than_it_may():
    model = FakeModel()
    advance(model, [0, 1, 2, 3], 1)
    assert next(read_ahead(model, [0, 1, 2, 3, 3], kept=2, piece=4)) == 2
    assert model.cached == [0, 1]
