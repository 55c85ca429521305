"""Statistics of paired ratios. Nothing is assumed of their distribution, since a busy machine has no decent one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

_TAIL = 40
"""One part in so many lies beyond each end of an interval."""
_RESAMPLES = 4000
_ENOUGH_SPREAD = 3
"""Repeats beyond the first of each group, over all groups, before their spread says anything."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % confidence interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its interval where there are enough measurements for one, and how many there are."""

    value: float
    interval: Interval | None
    count: int

    def narrow(self, half_width: float) -> bool:
        """Whether the value is known to within ± `half_width` of itself."""
        if self.interval is None:
            return False
        return self.interval.high - self.interval.low <= 2 * half_width * self.value


def median_estimate(values: Sequence[float]) -> Estimate:
    """The median of at least one value, and its exact interval.

    The interval lies between two order statistics: the k-th smallest and the k-th largest value enclose the median of
    any continuous distribution with probability 1 - 2 P(Binomial(n, 1/2) < k). There is none below six values.
    """
    ordered = sorted(values)
    rank = _rank(len(ordered))
    interval = Interval(ordered[rank - 1], ordered[-rank]) if rank else None
    return Estimate(median(ordered), interval, len(ordered))


def _rank(count: int) -> int:
    """The largest k that keeps the confidence; 0 if there is none."""
    below, rank = 0, 0
    while (below := below + math.comb(count, rank)) * _TAIL <= 2**count:
        rank += 1
    return rank


def geometric_mean(groups: Sequence[Sequence[float]], seed: int = 0) -> Estimate:
    """The geometric mean of the groups' medians; none of the groups is empty.

    The interval is a bootstrap of residuals: groups may hold one or two values, so the deviations from their means,
    in logarithms, are put together, dealt out again, and widened as Student would, since a few of them show less than
    there is. It speaks of the noise within groups, not of other groups.
    """
    logs = [np.log(group) for group in groups]
    value = math.exp(fmean(math.log(median(group)) for group in groups))
    count = sum(map(len, groups))
    if count - len(groups) < _ENOUGH_SPREAD:
        return Estimate(value, None, count)
    residuals = np.concatenate([_residuals(group) for group in logs])
    chance = np.random.default_rng(seed)
    errors = [np.median(chance.choice(residuals, (_RESAMPLES, len(group))), axis=1) for group in groups]
    means = np.sort(np.mean(errors, axis=0)).tolist()
    tail = _RESAMPLES // _TAIL
    # an error of +5 % in the estimate means that the truth lies 5 % below it
    widened = _widened(count - len(groups))
    interval = Interval(value * math.exp(-widened * means[-1 - tail]), value * math.exp(-widened * means[tail]))
    return Estimate(value, interval, count)


def _widened(freedom: int) -> float:
    """By how much Student's t exceeds the normal distribution at 97.5 %, after Cornish and Fisher."""
    z = 1.96
    return 1 + (z**2 + 1) / (4 * freedom) + (5 * z**4 + 16 * z**2 + 3) / (96 * freedom**2)


def _residuals(group: NDArray[np.float64]) -> NDArray[np.float64]:
    """Deviations within a group, widened by what a small one hides of its spread.

    They are taken from the mean: of those from the median one would always be 0.
    """
    if len(group) < 2:
        return np.zeros(0)
    widened: NDArray[np.float64] = (group - group.mean()) * math.sqrt(len(group) / (len(group) - 1))
    return widened
