from dataclasses import dataclass

import pytest

from specchat.speculative.measuring import TARGET_LENGTHS, measure_costs
from specchat.speculative.model import Rows

from .fakes import FakeModel


@dataclass
class SlowModel(FakeModel):
    """Takes `seconds` for each token of a pass, on a clock that only it moves."""

    seconds: float = 0.01
    now: float = 0.0

    def decode(self, tokens: list[int], n_logits: int) -> Rows:
        self.now += self.seconds * len(tokens)
        return super().decode(tokens, n_logits)


def test_every_length_is_measured_and_the_cache_left_empty():
    model = SlowModel()
    curve = measure_costs(model, TARGET_LENGTHS, 0, 17, clock=lambda: model.now)
    assert set(curve.measured) == set(TARGET_LENGTHS)
    assert curve.at(6) == pytest.approx(0.06)
    assert model.cached == []


def test_a_slow_model_is_not_measured_for_long():
    model = SlowModel(seconds=1.0)
    curve = measure_costs(model, TARGET_LENGTHS, 0, 17, clock=lambda: model.now)
    assert set(curve.measured) == set(TARGET_LENGTHS[:2])
    assert model.now < 10
