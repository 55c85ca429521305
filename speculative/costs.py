"""What a pass of a model costs on this machine, by the number of its tokens: measured, and kept fresh."""

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from statistics import median

import numpy as np
from numpy.typing import NDArray

_REMEMBERED = 5
_DRIFT = 0.05
_SUDDEN = 2.0
_SHARED = 0.25
"""How much of a change of passes over one token is one of passes over several, and the other way round."""
_STEP = 0.25
"""What each further token adds to a pass over one, as long as nothing but that pass was measured."""
_SEPARATE = 32
"""Up to here each length has its own figure; longer passes only read, and share the figure of the nearest length."""


@dataclass(slots=True)
class CostCurve:
    """Seconds for a pass over n tokens, n = 1, 2, …; between measured lengths it is interpolated.

    The curve has steps (a kernel computes rows by the handful), so each length keeps a figure of its own. A change of
    the lengths that are in use, such as by a growing context, is taken for a change of all, by a factor that follows
    slowly; what that leaves unexplained of a length is the median of its last few passes, which a busy moment of the
    machine does not move. Passes over one token and passes over several have a factor each, since the former wait for
    memory and the latter compute: what slows one need not slow the other.
    """

    measured: dict[int, float] = field(default_factory=dict)
    _drifts: list[float] = field(default_factory=lambda: [1.0, 1.0])
    _recent: dict[int, list[float]] = field(default_factory=dict)
    _peculiar: dict[int, float] = field(default_factory=dict)
    """The medians of `_recent`."""
    _found: tuple[list[int], list[float]] | None = None
    """What `_points` gave, until something is learned."""

    def snapshot(self) -> Mapping[int, float]:
        """What is worth keeping for the next run: seconds by length."""
        return {length: self._figure(length) for length in self.measured}

    def __bool__(self) -> bool:
        return bool(self.measured)

    def at(self, length: int) -> float:
        """The expected seconds of a pass over `length` tokens; at least one length was measured."""
        known, figures = self._points()
        if length > known[-1]:
            return float(self.upto(length)[-1])
        place = bisect_left(known, length)
        return figures[place] if known[place] == length else float(np.interp(length, known, figures))

    def upto(self, length: int) -> NDArray[np.float64]:
        """The expected seconds of passes over 1, 2, … `length` tokens; at least one length was measured.

        Beyond the longest measured length the curve goes on with its average slope. It never falls: where a longer pass
        is cheaper, that one can be taken.
        """
        known, figures = self._points()
        lengths = np.arange(1, length + 1)
        curve: NDArray[np.float64] = np.interp(lengths, known, figures)
        if known[-1] < length:
            several = len(known) > 1
            slope = (figures[-1] - figures[0]) / (known[-1] - known[0]) if several else _STEP * figures[0] / known[0]
            curve += slope * np.maximum(0, lengths - known[-1])
        return curve

    def _points(self) -> tuple[list[int], list[float]]:
        """The measured lengths, and what a pass that is at least so long costs: the same until something is learned."""
        if self._found is None:
            known = sorted(self.measured)
            falling = list(accumulate((self._figure(key) for key in reversed(known)), min))
            self._found = known, falling[::-1]
        return self._found

    def keep(self, length: int, seconds: float) -> None:
        """Take in a pass that was measured by itself: of several, the fastest counts."""
        self._found = None
        self.measured[length] = min(seconds, self.measured.get(length, math.inf))

    def add(self, other: "CostCurve") -> None:
        """Take in the figures of `other`, of lengths that are not known here."""
        self._found = None
        self.measured |= {length: seconds / self._drift(length) for length, seconds in other.snapshot().items()}

    def observe(self, length: int, seconds: float) -> None:
        """Take in a measured pass."""
        if length not in self.measured:
            if length <= _SEPARATE or max(self.measured, default=0) <= _SEPARATE:
                self.measured[length] = seconds / self._drift(length)
                self._found = None
                return
            nearest = min(self.measured, key=lambda known: abs(known - length))
            seconds, length = seconds * self.at(nearest) / self.at(length), nearest
        self._found = None
        change = seconds / (self._drift(length) * self.measured[length])
        step = min(_SUDDEN, max(1 / _SUDDEN, change)) ** _DRIFT
        for several in (False, True):
            share = step if several == (length > 1) else step**_SHARED
            self._drifts[several] *= share
            for each, recent in self._recent.items():
                if several == (each > 1):
                    self._peculiar[each] = _explain(recent, self._peculiar[each], share)
        recent = self._recent.setdefault(length, [])
        recent.append(change / step)
        del recent[:-_REMEMBERED]
        self._peculiar[length] = median(recent)

    def _figure(self, length: int) -> float:
        return self._drift(length) * self.measured[length] * self._peculiar.get(length, 1.0)

    def _drift(self, length: int) -> float:
        return self._drifts[length > 1]


def conceivable_gain(passes: NDArray[np.float64], step: float) -> float:
    """How many times as fast as plain decoding guesses make it that are all right: more than that no draft can gain.

    `passes` are the seconds of passes of the target over 1, 2, … tokens, `step` those of a guess.
    """
    guesses = np.arange(len(passes))
    return float(np.max((1 + guesses) * passes[0] / (passes + guesses * step)))


def _explain(recent: list[float], peculiar: float, step: float) -> float:
    """Take out of what was peculiar to a length the `step` by which all lengths have changed now; what remains of it.

    `peculiar` is the median of `recent`.
    """
    if min(step, peculiar) > 1:
        explained = min(step, peculiar)
    elif max(step, peculiar) < 1:
        explained = max(step, peculiar)
    else:
        return peculiar
    recent[:] = [change / explained for change in recent]
    return peculiar / explained
