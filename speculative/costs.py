"""What a pass of a model costs on this machine, by the number of its tokens: measured, and kept fresh."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_OUTLIER = 2.0
_FRESH = 0.15
_DRIFT = 0.05
_SEPARATE = 32
"""Up to here each length has its own figure; longer passes are read in, and only their average counts."""


@dataclass(slots=True)
class CostCurve:
    """Seconds for a pass over n tokens, n = 1, 2, …; between measured lengths it is interpolated.

    The curve has steps (a kernel computes rows by the handful), so each length keeps its own figure. What makes all
    lengths dearer alike, a growing context or a busy machine, is followed by one factor, so that lengths which are not
    used now do not grow stale.
    """

    measured: dict[int, float] = field(default_factory=dict)
    drift: float = 1.0

    @classmethod
    def restore(cls, measured: Mapping[int, float]) -> "CostCurve":
        """A curve as `snapshot` gave it."""
        return cls(dict(measured))

    def snapshot(self) -> dict[int, float]:
        """What is worth keeping for the next run."""
        return {length: seconds * self.drift for length, seconds in self.measured.items()}

    def __bool__(self) -> bool:
        return bool(self.measured)

    def upto(self, length: int) -> NDArray[np.float64]:
        """The expected seconds of passes over 1, 2, … `length` tokens.

        Beyond the longest measured length the curve goes on with its average slope.
        """
        known = sorted(self.measured)
        figures = [self.measured[key] for key in known]
        lengths = np.arange(1, length + 1)
        curve = np.interp(lengths, known, figures)
        if len(known) > 1 and known[-1] < length:
            slope = max(0.0, (figures[-1] - figures[0]) / (known[-1] - known[0]))
            curve += slope * np.maximum(0, lengths - known[-1])
        return self.drift * curve

    def at(self, length: int) -> float:
        """The expected seconds of a pass over `length` tokens."""
        return float(self.upto(length)[-1])

    def observe(self, length: int, seconds: float) -> None:
        """Take in a measured pass; one that is far off, as when the machine was busy, counts only so far."""
        if length not in self.measured and length <= _SEPARATE:
            self.measured[length] = seconds / self.drift
            return
        ratio = min(_OUTLIER, max(1 / _OUTLIER, seconds / self.at(length)))
        nearest = min(self.measured, key=lambda known: abs(known - length))
        self.measured[nearest] *= ratio**_FRESH
        self.drift *= ratio**_DRIFT
