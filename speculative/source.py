"""What is known of a source of drafts: what its guesses cost, and how often they are right."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from .calibration import Calibration
from .costs import CostCurve
from .drafting import Draft, Guess, Offer
from .prices import Prices
from .verification import Verdict

_OPTIMISM = 0.25
"""Standard deviations of what is not known that speak for drafting; half of it for a guess that is made already."""
_WORTH_A_PROBE = 0.01
"""The share of the time that may be spent on probing whether drafting pays again."""
_SHORT_ANSWER = 24
"""Rounds before a draft is loaded."""
_DEAR = 3.0
"""What is not known speaks against reading, and no more for it, where that is dearer than so many tokens."""
_PROFIT = 2.0
"""What an investment has to promise, as a multiple of itself."""
_PATIENCE = 0.8
"""What is left of the forgone gain after a round in which there was none."""
_MARGIN = 0.05
"""Tokens by which a draft has to look better than none, since estimates err."""


@dataclass(slots=True)
class Source:
    """A drafter as the draft lengths see it.

    Guesses are free without `costs`; of an empty curve nothing is known but that a step costs about `share` of a pass
    of the target. Chances come from two calibrations that are learned while running: by the lead of a guess, once it is
    made, and before that by the mood of the text. `clock` counts seconds.
    """

    costs: CostCurve | None
    clock: Callable[[], float]
    share: float = 0.15
    first_guess: tuple[float, float] = (-0.6, 0.95)
    """Offset and slope that `by_lead` starts with."""
    by_lead: Calibration = field(init=False)
    by_mood: Calibration = field(default_factory=lambda: Calibration(offset=-0.25, slope=0.8))
    _waited: int = 0
    _forgone: float = 0.0
    _unchecked: int = 0
    _probes: int = 0
    _encouraged: bool = False

    def __post_init__(self) -> None:
        self.by_lead = Calibration(*self.first_guess)

    def afresh(self) -> "Source":
        """The same drafter, of which nothing is known but what it costs."""
        return Source(self.costs, self.clock, self.share, self.first_guess)

    def take(self, offer: Offer, prices: Prices, mood: float, floor: float) -> tuple[Draft, float]:
        """As many guesses of `offer` as are worth it, and their value in tokens.

        The draft is empty where they are worth less than `floor`, what can be had without them, save for a probe.
        """
        costs = self._costs(prices)
        reading = self._reading(costs, offer, prices) + prices.rate * offer.loading
        probe = floor <= prices.plain and self._probe_is_due(costs, reading, prices)
        self._waited += bool(offer.loading)
        if costs and not (probe or self._worth_starting(costs, offer, prices, mood, floor)):
            self._unchecked += 1
            return Draft(pause="reading first would not pay" if self._forgone else "would not pay"), -math.inf
        self._forgone = 0.0
        guesses = self._guesses(costs, offer, prices, mood, floor)
        best, value = self._worth(guesses, prices, floor)
        if probe and guesses and not best:
            self._probes, best = self._probes + 1, 1
        self._unchecked = 0 if best else self._unchecked + 1
        return Draft(tuple(guesses[:best]), offer.source, None if best else "would not pay"), value

    def observe(self, draft: Draft, verdict: Verdict, mood: float) -> None:
        """Learn what became of a draft of this source."""
        for place, guess in enumerate(draft.guesses[: verdict.tested]):
            self.by_lead.observe(guess.lead, place < verdict.accepted)
            self.by_mood.observe(mood, place < verdict.accepted)
        self._encouraged = verdict.accepted == len(draft)
        self._probes = 0 if self._encouraged else self._probes

    def age(self) -> None:
        """Nothing of this source was checked: what is known of it grows uncertain."""
        self.by_lead.age()
        self.by_mood.age()

    def _costs(self, prices: Prices) -> CostCurve | None:
        if self.costs is None or self.costs:
            return self.costs
        return CostCurve({1: self.share * prices.plain_seconds})

    def _reading(self, costs: CostCurve | None, offer: Offer, prices: Prices) -> float:
        """The price of what is to be read before the first guess."""
        return prices.rate * (costs.at(1 + offer.behind) - costs.at(1)) if costs and offer.behind else 0.0

    def _probe_is_due(self, costs: CostCurve | None, reading: float, prices: Prices) -> bool:
        """Whether to check a guess although it looks bad: now and then, and at once after one that was right."""
        step = prices.rate * costs.at(1) if costs else 0.0
        if prices.ahead(0, 1.0, 1.0, step) - prices.plain <= _MARGIN or not self._may_load:
            return False  # not even a perfect draft could pay, or not yet
        spent = reading + step + prices.passes[1] - prices.passes[0]
        return self._encouraged or self._unchecked * _WORTH_A_PROBE >= spent * 2**self._probes

    def _worth_starting(self, costs: CostCurve, offer: Offer, prices: Prices, mood: float, floor: float) -> bool:
        """Whether to draft, where that may mean to load and to read before the first guess.

        That is an investment: it is compared with the rate that is achieved now, at which a pass is worth a token, and
        made when going on without it has cost as much: rent, then buy.
        """
        reading = self._reading(costs, offer, prices)
        optimism = _OPTIMISM * max(-1.0, 1 - reading / _DEAR)
        ahead = prices.ahead(0, 1.0, self.by_mood.chance(mood, optimism), prices.rate * costs.at(1)) - _MARGIN
        if ahead <= floor:
            self._forgone *= _PATIENCE
            return False
        investment = reading + prices.rate * offer.loading
        gain = max(0.0, ahead - (floor if investment < 1 else max(floor, -1.0)))
        self._forgone += gain
        to_be_gained = prices.left * gain / (1 + gain)
        return self._forgone >= investment and to_be_gained >= _PROFIT * investment and self._may_load

    @property
    def _may_load(self) -> bool:
        """Whether there is no loading to do, or the answer is no short one, which must not wait for it."""
        return self._waited == 0 or self._waited >= _SHORT_ANSWER

    def _guesses(
        self, costs: CostCurve | None, offer: Offer, prices: Prices, mood: float, floor: float
    ) -> Sequence[Guess]:
        """The guesses that are worth making."""
        most = len(prices.passes) - 1
        if costs is None:
            return list(islice(offer.guesses, most))
        typical, step = self.by_mood.chance(mood), prices.rate * costs.at(1)
        guesses: list[Guess] = []
        right, expected, best = 1.0, 0.0, floor
        for guess in self._timed(offer):
            guesses.append(guess)
            right *= self._chance(guess)
            expected += right
            best = max(best, expected - prices.passes[len(guesses)])
            if len(guesses) == most or expected + prices.ahead(len(guesses), right, typical, step) <= best:
                break
        return guesses

    def _timed(self, offer: Offer) -> Iterator[Guess]:
        """The guesses; what each cost is learned."""
        read = 1 + offer.behind
        while True:
            started = self.clock()
            guess = next(offer.guesses, None)
            if guess is None:
                return
            if self.costs is not None and (read == 1 or not offer.loading):
                self.costs.observe(read, self.clock() - started)
            read = 1
            yield guess

    def _worth(self, guesses: Sequence[Guess], prices: Prices, floor: float) -> tuple[int, float]:
        """How many of the guesses to check for the best value, and that value; none where it is not above `floor`."""
        right, expected, best, value = 1.0, 0.0, 0, floor
        for count, guess in enumerate(guesses, 1):
            right *= self._chance(guess)
            expected += right
            if expected - prices.passes[count] > value:
                best, value = count, expected - prices.passes[count]
        return best, value

    def _chance(self, guess: Guess) -> float:
        return self.by_lead.chance(guess.lead, 0.5 * _OPTIMISM)
