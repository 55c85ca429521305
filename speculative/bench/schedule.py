"""In which order to measure, and when it is enough."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count, product
from typing import Literal

from ..errors import Cancelled, SpecchatError
from .answer import Pairing
from .cases import Case
from .ratios import Estimate, median_estimate
from .variants import PLAIN

Ending = Literal["narrow", "looping", "time", "stopped", "failed"]
"""All is known well enough, all answers loop, the time is up, somebody stopped it, an error did."""


@dataclass(frozen=True, slots=True)
class Turn:
    """How a variant meets plain decoding: whether it goes first, and whether the two have `swapped` their caches.

    One cache can be faster than another of the same model, by where it happens to lie in memory.
    """

    other_first: bool
    swapped: bool

    @classmethod
    def of(cls, number: int) -> "Turn":
        """All four ways in turn, of which the first two differ in both."""
        return cls(other_first=number % 2 == 1, swapped=(number + 1) // 2 % 2 == 1)


Race = Callable[[str, Case, Turn], Pairing]
"""Answers a case plain and by the variant of a name. Raises `Cancelled`, `SpecchatError`."""

_ENOUGH_LOOPS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which variants to compare with plain, on which cases, for how long, and how well.

    A comparison is over when its interval is within ± `half_width`.
    """

    cases: tuple[Case, ...]
    variants: tuple[str, ...]
    seconds: float
    half_width: float = 0.015


@dataclass(slots=True, kw_only=True)
class Schedule:
    """Measures in pairs of plain and a variant, one case after the other, over and over.

    Each time around, plain is compared with itself on one of the cases. `clock` counts seconds.
    """

    plan: Plan
    race: Race
    clock: Callable[[], float]
    done: list[Pairing] = field(default_factory=list)
    ending: Ending | None = None
    _started: float = 0.0
    _took: dict[tuple[str, Case], float] = field(default_factory=dict)

    def pairings(self) -> Iterator[Pairing]:
        """Every pair as it is done, until there is no more to learn, the time is up, or `Cancelled` is raised.

        Any `SpecchatError` goes on to the caller; what was done until then is kept.
        """
        self._started = self.clock()
        try:
            for variant, case, turn in self._order():
                if self._took and self.elapsed + self._expected(variant, case) > self.plan.seconds:
                    self.ending = "time"
                    return
                self.done.append(self._pair(variant, case, turn))
                yield self.done[-1]
            self.ending = "narrow" if any(self._known(*each) for each in self._comparisons()) else "looping"
        except Cancelled:
            self.ending = "stopped"
        except SpecchatError:
            self.ending = "failed"
            raise

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self._started

    def speedup(self, variant: str, case: Case) -> Estimate | None:
        """What is known so far of a variant on a case."""
        ratios = [pair.speedup for pair in self._of(variant, case) if not pair.loops]
        return median_estimate(ratios) if ratios else None

    def _order(self) -> Iterator[tuple[str, Case, Turn]]:
        """Variant, case, and how they meet; ends when nothing is wanted any more."""
        for lap in count():
            wanted = [
                (variant, case, Turn.of(lap + place + rank))
                for place, case in enumerate(self.plan.cases)
                for rank, variant in enumerate(self.plan.variants)
                if self._wanted(variant, case)
            ]
            if not wanted:
                return
            yield from wanted
            yield PLAIN, self.plan.cases[lap % len(self.plan.cases)], Turn.of(lap)

    def _wanted(self, variant: str, case: Case) -> bool:
        loops = sum(pair.loops for pair in self._of(variant, case))
        return loops < _ENOUGH_LOOPS and not self._known(variant, case)

    def _known(self, variant: str, case: Case) -> bool:
        speedup = self.speedup(variant, case)
        return speedup is not None and speedup.narrow(self.plan.half_width)

    def _comparisons(self) -> Iterator[tuple[str, Case]]:
        return product(self.plan.variants, self.plan.cases)

    def _of(self, variant: str, case: Case) -> list[Pairing]:
        return [pair for pair in self.done if pair.variant == variant and pair.case == case]

    def _expected(self, variant: str, case: Case) -> float:
        """The seconds that a pair will take: as long as last time, else as long as the longest of the others."""
        return self._took.get((variant, case), max(self._took.values()))

    def _pair(self, variant: str, case: Case, turn: Turn) -> Pairing:
        started = self.clock()
        pairing = self.race(variant, case, turn)
        self._took[variant, case] = self.clock() - started
        return pairing
