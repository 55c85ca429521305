"""From how far a guess leads to how likely it is right, learned from what became of the guesses before it."""

import math
from dataclasses import dataclass

_UNKNOWN = 0.25
"""The variance of the offset of which nothing is known, in squared nats."""
_SURE = 12.0


@dataclass(slots=True)
class Calibration:
    """The chance that a guess is right as sigmoid(offset + slope · x), learned online.

    Logistic regression by an extended Kalman filter: each outcome moves both weights by as much as they are uncertain,
    and `forgetting` is added to that uncertainty each time, so that the calibration follows the text.
    """

    offset: float
    slope: float
    forgetting: float = 0.01
    _p00: float = _UNKNOWN
    _p01: float = 0.0
    _p11: float = 0.2 * _UNKNOWN

    def chance(self, x: float, optimism: float = 0.0) -> float:
        """How likely at `x`; with `optimism`, so many standard deviations above what is known."""
        score = self.offset + self.slope * x
        if optimism:
            variance = self._p00 + 2 * self._p01 * x + self._p11 * x * x
            score += optimism * math.sqrt(max(0.0, variance))  # rounding can make that of a huge lead negative
        return sigmoid(score)

    def age(self, rounds: int) -> None:
        """Rounds pass in which nothing is learned: what is known grows uncertain, a tenth as fast as by learning."""
        self._grow(0.1 * rounds * self.forgetting)

    def observe(self, x: float, right: float) -> None:
        """Learn what became of a guess at `x`: 1 for right, 0 for wrong, or how likely it looked."""
        chance = self.chance(x)
        self._grow(self.forgetting)
        g0, g1 = self._p00 + self._p01 * x, self._p01 + self._p11 * x
        information = max(chance * (1 - chance), 0.01)
        scale = 1 + information * (g0 + g1 * x)
        surprise = (right - chance) / scale
        self.offset += g0 * surprise
        self.slope = max(0.0, self.slope + g1 * surprise)
        shrink = information / scale
        self._p00 -= shrink * g0 * g0
        self._p01 -= shrink * g0 * g1
        self._p11 -= shrink * g1 * g1

    def _grow(self, uncertainty: float) -> None:
        self._p00 = min(_UNKNOWN, self._p00 + uncertainty)
        self._p11 = min(0.2 * _UNKNOWN, self._p11 + 0.1 * uncertainty)


def sigmoid(score: float) -> float:
    """1 / (1 + exp(-score)), never quite 0 or 1."""
    if score > _SURE:
        score = _SURE
    elif score < -_SURE:
        score = -_SURE
    return 1 / (1 + math.exp(-score))
