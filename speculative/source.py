"""What is known of a source of drafts: what its guesses cost, and how often they are right."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from .calibration import Calibration
from .costs import CostCurve
from .drafting import Draft, Guess, Offer, Pause
from .prices import Prices
from .purse import Purse
from .verification import Verdict

_OPTIMISM = 0.6
"""Standard deviations of what is not known that speak for drafting, where that costs little."""
_DOUBT = 0.25
"""As many that speak against it, where it is dear."""
_HOPE = 0.125
"""As many that speak for a guess that is made already."""
_THRIFT = 1.5
"""Standard deviations that speak against free guesses once their purse is empty."""
_WORTH_A_PROBE = 0.007
"""The share of the time that may be spent on probing whether drafting pays again."""
_SHORT_ANSWER = 24
"""Rounds before a draft is loaded: what is said in fewer must not wait for it."""
_DEAR = 4.5
"""Tokens: where reading and going back are dearer, what is not known speaks against drafting, and no more for it."""
_RETURNS = 2.0
"""What going back weighs beside reading: that is paid for once, going back with every wrong guess."""
_PROFIT = 2.0
"""What an investment has to promise, as a multiple of itself."""
_INCONCEIVABLE = 0.05
"""Where the chance that all guesses are right is below this, no more are looked at."""
_PATIENCE = 0.8
"""What is left of the forgone gain after a round in which there was none."""
_MARGIN = 0.05
"""Tokens by which a draft has to look better than none, since estimates err."""


_Likely = tuple[Guess, float]
"""A guess, and the chance that it and all before it are right."""


@dataclass(slots=True)
class Source:
    """A drafter as the draft lengths see it.

    Guesses are free without `costs`; of an empty curve nothing is known but that a step costs about `share` of a pass
    of the target. Chances come from calibrations that are learned while running: by the lead of a guess, once it is
    made, and before that by the mood of the text. What is forced by the form of the answer is free here too, and has
    chances of its own. `clock` counts seconds.
    """

    costs: CostCurve | None
    clock: Callable[[], float]
    share: float = 0.15
    first_guess: tuple[float, float] = (-0.6, 0.95)
    """Offset and slope that `by_lead` starts with."""
    by_lead: Calibration = field(init=False)
    by_mood: Calibration = field(default_factory=lambda: Calibration(offset=-0.25, slope=0.8))
    by_form: Calibration = field(default_factory=lambda: Calibration(offset=0.7, slope=1.5))
    _purse: Purse = field(default_factory=Purse)
    _waited: int = 0
    _forgone: float = 0.0
    _unchecked: int = 0
    _asleep: int = 0
    """Rounds of the unchecked that are not accounted for yet: most pass without a question."""
    _probing: bool = False
    _discouraged: int = 0
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
        self._wake()
        bill = self._bill(offer, prices)
        probe = floor <= prices.plain and not offer.forced and self._probe_is_due(bill, prices)
        forced = list(self._likely(islice(offer.guesses, min(offer.forced, len(prices.passes) - 1))))
        pause = None if self.costs is None or probe else self._why_not(bill, prices, mood, floor, forced)
        if pause:
            return Draft(pause=pause), -math.inf
        self._forgone = 0.0
        guesses = self._guesses(offer, bill, prices, mood, floor, forced)
        best, value = _worth(guesses, prices, floor)
        # one that is forced would teach nothing
        self._probing = probe and not best and any(not guess.is_forced for guess, _ in guesses[:1])
        best = best or int(self._probing)
        why: Pause | None = None if best else "would not pay" if guesses else "nothing to guess"
        return Draft(tuple(guess for guess, _ in guesses[:best]), offer.source, why), value

    def observe(self, draft: Draft, verdict: Verdict, mood: float, gain: float) -> None:
        """Learn what became of a draft of this source, whose check gained so many tokens over plain decoding."""
        self._wake()
        self._purse.settle(gain)
        for place, guess in enumerate(draft.guesses[: min(verdict.tested, draft.guessed)]):
            right = place < verdict.accepted
            self._calibration(guess).observe(guess.lead, right)
            if not guess.is_forced:
                self.by_mood.observe(mood, right)
        self._encouraged = verdict.accepted >= draft.guessed
        self._unchecked = 0
        self._discouraged = 0 if self._encouraged else self._discouraged + self._probing

    def rest(self) -> None:
        """Learn from a round in which nothing of this source was checked: what is known of it grows uncertain."""
        self._unchecked += 1
        self._asleep += 1

    def _wake(self) -> None:
        rounds, self._asleep = self._asleep, 0
        if rounds:
            self._purse.settle(rounds=rounds)
            for calibration in (self.by_lead, self.by_mood, self.by_form):
                calibration.age(rounds)

    def _bill(self, offer: Offer, prices: Prices) -> "Bill":
        if self.costs is None:
            return Bill()
        assumed = self.share * prices.plain_seconds
        costs = self.costs or CostCurve({1: assumed})
        # a curve that holds nothing but a long reading says little about a step
        step = costs.at(1) if 1 in costs.measured else min(assumed, costs.at(1))
        # what is forced has to be read sooner or later, so that is no reason to wait
        reading = costs.at(1 + offer.behind) - step if offer.behind else 0.0
        return Bill(prices.rate * step, prices.rate * reading, prices.rate * offer.loading)

    def _probe_is_due(self, bill: "Bill", prices: Prices) -> bool:
        """Whether to check a guess although it looks bad: now and then, and at once after one that was right."""
        if bill.loading or prices.ahead(0, 1.0, 1.0, bill.step) - prices.plain <= _MARGIN:
            return False  # too dear for a try, or not even a perfect draft could pay
        spent = bill.reading + bill.step + prices.passes[1] - prices.passes[0] + prices.setback
        return self._encouraged or self._unchecked * _WORTH_A_PROBE >= spent * 2 ** min(self._discouraged, 20)

    def _why_not(
        self, bill: "Bill", prices: Prices, mood: float, floor: float, forced: Sequence[_Likely]
    ) -> Pause | None:
        """Why not to draft behind what is forced, where that may mean to load and to read first; None to draft.

        That is an investment: it is compared with the rate that is achieved now, at which a pass is worth a token, and
        made when going on without it has cost as much: rent, then buy.
        """
        self._waited += 1
        ease = max(-1.0, 1 - (bill.reading + _RETURNS * prices.setback) / _DEAR)
        optimism = ease * (_OPTIMISM if ease > 0 else _DOUBT)
        chance = self.by_mood.chance(mood, optimism)
        expected, right = _outlook(forced)
        ahead = expected + prices.ahead(len(forced), right, chance, bill.step) - _MARGIN
        if ahead <= floor:
            self._forgone *= _PATIENCE
            return "would not pay"
        investment = bill.reading + bill.loading
        gain = max(0.0, ahead - (floor if investment < 1 else max(floor, -1.0)))
        self._forgone += gain
        to_be_gained = prices.left * gain / (1 + gain)
        patient = self._waited > _SHORT_ANSWER or not bill.loading
        if patient and self._forgone >= investment and to_be_gained >= _PROFIT * investment:
            return None
        return "loading first would not pay" if bill.loading else "reading first would not pay"

    def _guesses(
        self, offer: Offer, bill: "Bill", prices: Prices, mood: float, floor: float, forced: Sequence[_Likely]
    ) -> list[_Likely]:
        """The guesses that are worth making, behind those that are forced."""
        most = len(prices.passes) - 1
        if self.costs is None:
            return list(self._affordable(islice(offer.guesses, most), prices))
        typical = self.by_mood.chance(mood)
        guesses = list(forced)
        expected, before = _outlook(forced)
        _, best = _worth(forced, prices, floor)
        for guess, right in self._likely(islice(self._timed(offer), most - len(guesses)), before):
            guesses.append((guess, right))
            expected += right
            best = max(best, prices.value(len(guesses), expected, right))
            if expected + prices.ahead(len(guesses), right, typical, bill.step) <= best:
                break
        return guesses

    def _affordable(self, guesses: Iterable[Guess], prices: Prices) -> Iterator[_Likely]:
        """The guesses, as long as all of them may be right, and what they cost may be lost if they are not."""
        for count, (guess, right) in enumerate(self._likely(guesses), 1):
            if not guess.is_forced and not self._purse.covers(prices.loss(count)):
                return
            yield guess, right
            if right < _INCONCEIVABLE:
                return

    def _likely(self, guesses: Iterable[Guess], right: float = 1.0) -> Iterator[_Likely]:
        """The guesses behind those that are all `right` with that chance."""
        thrift = _THRIFT * self._purse.spent if self.costs is None else 0.0
        for guess in guesses:
            right *= self._calibration(guess).chance(guess.lead, _HOPE - thrift)
            yield guess, right

    def _calibration(self, guess: Guess) -> Calibration:
        return self.by_form if guess.is_forced else self.by_lead

    def _timed(self, offer: Offer) -> Iterator[Guess]:
        """The guesses behind the first that are forced; what each cost is learned."""
        read = 1 + offer.behind + offer.forced
        while True:
            started = self.clock()
            guess = next(offer.guesses, None)
            if guess is None:
                return
            if guess.is_forced:
                read += 1
            else:
                if self.costs is not None and (read == 1 or not offer.loading):
                    self.costs.observe(read, self.clock() - started)
                read = 1
            yield guess


def _outlook(guesses: Sequence[_Likely]) -> tuple[float, float]:
    """How many of the guesses are right on average, and the chance that all are."""
    return sum(right for _, right in guesses), guesses[-1][1] if guesses else 1.0


def _worth(guesses: Sequence[_Likely], prices: Prices, floor: float) -> tuple[int, float]:
    """How many of the guesses to check for the best value, and that value; none where it is not above `floor`."""
    expected, best, value = 0.0, 0, floor
    for count, (_, right) in enumerate(guesses, 1):
        expected += right
        if (worth := prices.value(count, expected, right)) > value:
            best, value = count, worth
    return best, value


@dataclass(frozen=True, slots=True)
class Bill:
    """What an offer costs now, in tokens: a guess, and before the first one the reading and the loading."""

    step: float = 0.0
    reading: float = 0.0
    loading: float = 0.0
