"""Draft lengths by measured cost: one more token is drafted while it is worth more than the time that it takes."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from .calibration import Calibration, sigmoid
from .costs import CostCurve
from .drafting import Draft, Guess
from .rounds import Round

_MOOD_MEMORY = 0.88
_OPTIMISM = 0.5
"""Standard deviations of what is not known that speak for drafting; half of it for a guess that is made already."""
_WORTH_A_PROBE = 0.01
"""The share of the time that may be spent on probing whether drafting pays again."""
_MARGIN = 0.05
"""Tokens by which a draft has to look better than none, since estimates err."""


@dataclass(slots=True)
class AdaptiveLength:
    """The marginal-value rule: draft while P(all right so far, and the next) > rate · (its cost).

    The rate is what is achieved now, in tokens per second, and at least that of plain decoding; the cost of a token is
    a step of the draft and what the target's pass grows by. Chances come from two calibrations that are learned while
    running: by the *lead* of a guess, once it is made, and before that by the *mood* of the text, an average of how
    sure the target itself was of the last tokens, which costs nothing to know while nothing is drafted.

    Both cost curves hold at least two lengths; without `draft_costs` guesses are free. Some guesses are thrown away
    after they were drawn, which only coupled verification survives. `clock` counts seconds.
    """

    target_costs: CostCurve
    draft_costs: CostCurve | None
    most: int
    clock: Callable[[], float] = perf_counter
    mood: float = 0.85
    by_lead: Calibration = field(default_factory=lambda: Calibration(offset=-0.3, slope=0.8))
    by_mood: Calibration = field(default_factory=lambda: Calibration(offset=0.0, slope=1.0))
    _tokens: float = 0.0
    _seconds: float = 0.0
    _forgone: float = 0.0
    _unchecked: int = 0
    _probes: int = 0
    _encouraged: bool = False

    def take(self, guesses: Iterator[Guess], behind: int, most: int) -> Draft:
        """As many guesses as are worth it by now; see `DraftLength.take`."""
        most = min(most, self.most)
        prices = self._prices(most)
        free, probe = self.draft_costs is None, self._probe_is_due(prices, behind)
        if not (free or probe or self._worth_starting(prices, behind)):
            self._unchecked += 1
            return Draft()
        self._forgone = 0.0
        drafted, best = self._draft(guesses, behind, prices)
        if probe and drafted and best == 0:
            self._probes, best = self._probes + 1, 1
        self._unchecked = 0 if best else self._unchecked + 1
        return Draft(tuple(drafted[:best]))

    def _prices(self, most: int) -> "Prices":
        costs = self.target_costs.upto(most + 1)
        rate = max(1 / costs[0], self._tokens / self._seconds if self._seconds else 0.0)
        step = self.draft_costs.at(1) if self.draft_costs else 0.0
        return Prices((rate * costs).tolist(), rate * step, rate)

    def _worth_starting(self, prices: "Prices", behind: int) -> bool:
        plain = -prices.passes[0] + _MARGIN
        reading = prices.rate * self._reading_seconds(behind)
        gain = prices.ahead(0, 1.0, self.by_mood.chance(self._mood_score, _OPTIMISM)) - plain
        if gain > 0:
            # What the draft lacks is read when plain decoding has cost as much as reading it: rent, then buy.
            self._forgone += gain
            return self._forgone >= reading
        return False

    def _probe_is_due(self, prices: "Prices", behind: int) -> bool:
        """Whether to check a guess although it looks bad: now and then, and at once after one that was right."""
        if prices.ahead(0, 1.0, 1.0) + prices.passes[0] <= _MARGIN:
            return False  # not even a perfect draft could pay
        spent = prices.rate * self._reading_seconds(behind) + prices.step + prices.passes[1] - prices.passes[0]
        return self._encouraged or self._unchecked * _WORTH_A_PROBE >= spent * 2**self._probes

    def _reading_seconds(self, behind: int) -> float:
        return self.draft_costs.at(1 + behind) - self.draft_costs.at(1) if self.draft_costs and behind else 0.0

    @property
    def _mood_score(self) -> float:
        return math.log(self.mood / (1 - self.mood))

    def _draft(self, guesses: Iterator[Guess], behind: int, prices: "Prices") -> tuple[list[Guess], int]:
        """The guesses made, and how many of them are worth checking."""
        typical = self.by_mood.chance(self._mood_score)
        drafted: list[Guess] = []
        right, expected = 1.0, 0.0
        best, best_value = 0, -prices.passes[0]
        while len(drafted) < len(prices.passes) - 1:
            if drafted and expected + prices.ahead(len(drafted), right, typical) <= best_value:
                break
            started = self.clock()
            guess = next(guesses, None)
            if guess is None:
                break
            if self.draft_costs:
                self.draft_costs.observe(1 if drafted else 1 + behind, self.clock() - started)
            drafted.append(guess)
            right *= self.by_lead.chance(guess.lead, 0.5 * _OPTIMISM)
            expected += right
            value = expected - prices.passes[len(drafted)]
            if value > best_value:
                best, best_value = len(drafted), value
        return drafted, best

    def observe(self, step: Round) -> None:
        """Learn what a pass cost, what became of the guesses, and how sure the target was."""
        self.target_costs.observe(1 + len(step.draft), step.target_seconds)
        self._tokens = 0.95 * self._tokens + len(step.tokens)
        self._seconds = 0.95 * self._seconds + step.draft_seconds + step.target_seconds
        for place, guess in enumerate(step.draft.guesses[: step.verdict.tested]):
            accepted = place < step.verdict.accepted
            self.by_lead.observe(guess.lead, accepted)
            self.by_mood.observe(self._mood_score, accepted)
        if not step.draft:
            self.by_lead.age()
            self.by_mood.age()
        if step.draft:
            self._encouraged = step.verdict.accepted == len(step.draft)
            self._probes = 0 if self._encouraged else self._probes
        for lead in step.leads:
            self.mood = _MOOD_MEMORY * self.mood + (1 - _MOOD_MEMORY) * sigmoid(lead)


@dataclass(frozen=True, slots=True)
class Prices:
    """What things cost now, in tokens: the time they take, times the rate at which tokens are being made.

    `passes[k]` is the price of a pass that checks k guesses, `step` that of one more guess.
    """

    passes: Sequence[float]
    step: float
    rate: float

    def ahead(self, drafted: int, right: float, chance: float) -> float:
        """The best value that more guesses promise, over what is drafted already.

        All drafted ones are right with the probability `right`, each further one with `chance`. Looks as far as the
        budget goes, since the price of a pass has steps: one more token may pay only together with the next ones.
        """
        best, expected = -math.inf, 0.0
        for more in range(1, len(self.passes) - drafted):
            right *= chance
            expected += right
            best = max(best, expected - self.passes[drafted + more] - more * self.step)
        return best
