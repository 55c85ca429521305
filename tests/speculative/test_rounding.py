"""Rounding is measured: how far passes over several tokens lie from shorter ones, on the same text."""

from dataclasses import dataclass
from math import inf, nan

import numpy as np
import pytest

from specchat.speculative.rounding import Rounding, difference, measure_rounding, read_prompt, worst_of

from .fakes import FakeModel

TEXT = [place % 7 % 4 for place in range(20)]


@dataclass
class OddModel(FakeModel):
    """Passes over one token are off by `alone`, those over at least `from_length` by `long`."""

    alone: float = 0.0
    long: float = 0.0
    from_length: int = 100

    def decode(self, tokens, n_logits):
        rows = super().decode(tokens, n_logits)
        if len(tokens) == 1:
            rows[:, 1] += self.alone
        if len(tokens) >= self.from_length:
            rows[-1:, 2] -= self.long
        return rows


def measured(model, lengths=(1, 2, 3, 8), context=5):
    return measure_rounding(model, TEXT[:context], TEXT, lengths, piece=4)


def test_a_model_that_does_not_round_differs_nowhere():
    found = measured(FakeModel())
    assert found.differences == {1: {2: 0.0, 3: 0.0, 8: 0.0}, 2: {3: 0.0, 8: 0.0}}
    assert (found.context, found.worst(8)) == (5, 0.0)
    assert set(found.seconds) == {1, 2, 3, 8}


def test_single_tokens_apart_are_told_from_all_others():
    found = measured(OddModel(alone=0.25))
    assert set(found.differences[1].values()) == {0.25}
    assert set(found.differences[2].values()) == {0.0}
    assert found.worst(8) == found.worst(2) == 0.25
    assert found.worst(1) == 0


def test_long_passes_apart_are_told_by_their_length():
    found = measured(OddModel(long=0.5, from_length=3))
    assert found.differences == {1: {2: 0.0, 3: 0.5, 8: 0.5}, 2: {3: 0.5, 8: 0.5}}


def test_all_passes_are_whole_and_all_lengths_are_compared_on_as_many_tokens():
    model = FakeModel()
    measured(model, lengths=(1, 3, 8), context=5)
    prompt = [4, 1]
    assert model.passes == [*prompt, *[1] * 8, *[2] * 4, *[1] * 8, *[2] * 4, *[3] * 3, 8]


def test_a_prompt_is_read_from_an_empty_cache_in_pieces():
    model = FakeModel()
    model.decode(TEXT[:3], 1)
    model.passes.clear()
    row = read_prompt(model, TEXT[:10], piece=4)
    assert model.passes == [4, 4, 2]
    assert row.tolist() == pytest.approx(model.logits(TEXT[:10]))


def test_what_is_no_number_is_as_far_as_can_be():
    assert difference([np.zeros(1)], [np.array([nan])]) == inf
    assert difference([], []) == 0


def test_of_several_measurements_the_worst_differences_count():
    low, high = (Rounding(context=9, differences={1: {2: gap}}, seconds={1: time}) for gap, time in ((0, 3), (1, 2)))
    assert worst_of([low]) == low
    assert worst_of([low, high]) == Rounding(context=9, differences={1: {2: 1}}, seconds={1: 2})
