"""What a pass of a model costs on this machine, by the number of its tokens: measured, and kept fresh."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from numpy.typing import NDArray

_REMEMBERED = 5
_DRIFT = 0.05
_SUDDEN = 2.0
_SEPARATE = 32
"""Up to here each length has its own figure; longer passes only read, and share the figure of the nearest length."""


@dataclass(slots=True)
class CostCurve:
    """Seconds for a pass over n tokens, n = 1, 2, …; between measured lengths it is interpolated.

    The curve has steps (a kernel computes rows by the handful), so each length keeps its own figure: the median of its
    last few measurements, which a busy moment of the machine does not move. What makes all lengths dearer alike, such
    as a growing context, is followed by one factor, so that lengths which are not used now do not grow stale.
    """

    measured: dict[int, float] = field(default_factory=dict)
    _recent: dict[int, list[float]] = field(default_factory=dict)
    _drift: float = 1.0

    def snapshot(self) -> Mapping[int, float]:
        """What is worth keeping for the next run: seconds by length."""
        return {length: seconds * self._drift for length, seconds in self.measured.items()}

    def __bool__(self) -> bool:
        return bool(self.measured)

    def at(self, length: int) -> float:
        """The expected seconds of a pass over `length` tokens."""
        return float(self.upto(length)[-1])

    def upto(self, length: int) -> NDArray[np.float64]:
        """The expected seconds of passes over 1, 2, … `length` tokens.

        Beyond the longest measured length the curve goes on with its average slope. It never falls: a pass that seemed
        dearer than a longer one was disturbed.
        """
        known = sorted(self.measured)
        figures = np.minimum.accumulate([self.measured[key] for key in reversed(known)])[::-1]
        lengths = np.arange(1, length + 1)
        curve = np.interp(lengths, known, figures)
        if len(known) > 1 and known[-1] < length:
            slope = (figures[-1] - figures[0]) / (known[-1] - known[0])
            curve += slope * np.maximum(0, lengths - known[-1])
        seconds: NDArray[np.float64] = self._drift * curve
        return seconds

    def observe(self, length: int, seconds: float) -> None:
        """Take in a measured pass."""
        if self.measured:
            ratio = seconds / self.at(length)
            self._drift *= min(_SUDDEN, max(1 / _SUDDEN, ratio)) ** _DRIFT
        if length > _SEPARATE and self.measured:
            nearest = min(self.measured, key=lambda known: abs(known - length))
            seconds *= self.at(nearest) / self.at(length)
            length = nearest
        recent = self._recent.setdefault(length, [self.measured[length]] if length in self.measured else [])
        recent.append(seconds / self._drift)
        del recent[:-_REMEMBERED]
        self.measured[length] = median(recent)
