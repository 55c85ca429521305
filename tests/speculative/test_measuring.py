from dataclasses import dataclass

import numpy as np
import pytest

from specchat.speculative.costs import conceivable_gain
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


F16 = (0.071, 0.120, 0.133, 0.137, 0.146, 0.154, 0.202, 0.209)
Q4_K_M = (0.037, 0.063, 0.091, 0.109, 0.136, 0.162, 0.187, 0.249)


@pytest.mark.parametrize(
    ("passes", "step", "gain"),
    [
        (F16, 0.013, 6 * 0.071 / (0.154 + 5 * 0.013)),
        (Q4_K_M, 0.013, 1.0),  # a draft model cannot pay here at all
        (Q4_K_M, 0.0, 7 * 0.037 / 0.187),
        ((0.05,), 0.001, 1.0),
    ],
)
def test_what_a_draft_can_gain_at_most_is_where_right_guesses_pay_best(passes, step, gain):
    assert conceivable_gain(np.array(passes), step) == pytest.approx(gain)
