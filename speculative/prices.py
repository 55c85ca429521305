"""What drafting costs now, in tokens."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prices:
    """Times as tokens: what could be made in that time at the `rate`, in tokens per second, that is achieved now.

    `passes[k]` is the price of a pass of the target that checks k guesses, or of a longer one if that is cheaper;
    `left` is how many tokens the text may still grow by; a draft that is not all right costs `setback` besides, where
    the target reads again to take tokens back.
    """

    passes: Sequence[float]
    rate: float
    left: int
    setback: float = 0.0

    @property
    def plain(self) -> float:
        """The value of drafting nothing, but for the token that every pass gives: minus the price of its pass."""
        return -self.passes[0]

    @property
    def plain_seconds(self) -> float:
        """The time of a pass that checks nothing."""
        return self.passes[0] / self.rate

    def value(self, guesses: int, expected: float, right: float) -> float:
        """The value of checking so many, of which `expected` are right on average, and all with the chance `right`."""
        return expected - self.passes[guesses] - (1 - right) * self.setback

    def loss(self, guesses: int) -> float:
        """What checking so many costs over plain decoding if all are wrong."""
        return self.passes[guesses] - self.passes[0] + self.setback

    def cheapest(self, guesses: int) -> int:
        """The number of guesses, at least `guesses`, that a pass at this price checks, if nonsense costs no more."""
        if self.setback:
            return guesses
        longest = len(self.passes) - 1
        return max(guesses, max(k for k in range(guesses, longest + 1) if self.passes[k] <= self.passes[guesses]))

    def ahead(self, drafted: int, right: float, chance: float, step: float) -> float:
        """The best value that more guesses promise, at the price of `step` each, over what is drafted already.

        All drafted ones are right with the probability `right`, each further one with `chance`. Looks as far as the
        budget goes, since the price of a pass has steps: one more token may pay only together with the next ones.
        """
        best, expected, paid, setback = -math.inf, 0.0, 0.0, self.setback
        for price in self.passes[drafted + 1 :]:  # `value`, written out: this is the innermost of all loops
            right *= chance
            expected += right
            paid += step
            value = expected - price - (1 - right) * setback - paid
            if value > best:
                best = value
        return best
