"""Draft lengths by measured cost: one more token is drafted while it is worth more than the time that it takes."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from .calibration import sigmoid
from .costs import CostCurve
from .drafting import FORM, MODEL, NGRAM, Draft, Offer, Offers
from .lookout import Lookout
from .prices import Prices
from .rounds import Round
from .source import Source

_MOOD_MEMORY = 0.88
_RATE_MEMORY = 0.95
_MEASURED = {4: 8, 400: 16}
"""After so many plain passes one over so many tokens is measured, which costs a hundredth of them at most, or of a
short answer: kernels like multiples of their tiles."""
_HOPELESS = 0.75
"""Where a pass costs so much of as many plain ones, no longer one is measured."""
_SETBACK_STEP = 0.2
"""How far one of them moves what setbacks are taken to cost."""
_FEWEST_PLAIN = 3
"""So many passes over one token have to be measured to say what they cost."""
_FORGOTTEN = 24
"""After so many rounds that all drafted, a plain pass is measured again: all gains are counted in its time."""
_UNKNOWN = 8
"""After so many already, as long as too few were measured to say what they cost."""


@dataclass(slots=True)
class AdaptiveLength:
    """The marginal-value rule: draft while P(all right so far, and the next) > rate · (its cost).

    The rate is what is achieved now, in tokens per second, and at least that of plain decoding; the cost of a token is
    a step of the draft and what the target's pass grows by. `sources` are what is known of the drafters, by the names
    in their offers: of several offers, the one that promises most is taken. The mood of the text is an average of how
    sure the target itself was of the last tokens, which costs nothing to know while nothing is drafted.

    Where n-grams alone guess, a `Lookout` says in which rounds they are asked. Some guesses are thrown away after they
    were drawn, which only coupled verification survives.
    """

    target_costs: CostCurve
    sources: Mapping[str, Source]
    most: int
    setback: float = 0.0
    """What taking back wrong guesses costs, in plain passes, until it is measured."""
    mood: float = 0.85
    _setback_seconds: float | None = None
    _was_wrong: bool = False
    _tokens: float = 0.0
    _seconds: float = 0.0
    _plain_passes: int = 0
    _since_plain: int = 0
    _lookout: Lookout = field(default_factory=Lookout)

    def take(self, offers: Offers, most: int) -> Draft:
        """As many guesses as are worth it by now; see `DraftLength.take`."""
        if not self.target_costs or self._since_plain >= (_FORGOTTEN if self._plain_is_known else _UNKNOWN):
            return Draft()  # plain passes come first: they are the measure of all others
        if self.sources.keys() == {NGRAM} and not self._lookout.is_due(self.target_costs.at(1)):
            return self._lookout.found
        return self._best(offers(), most)

    def _best(self, offers: Sequence[Offer], most: int) -> Draft:
        if not offers:
            return Draft(pause="nothing to guess")
        if length := self._to_measure(offers, most):
            return Draft().padded(length - 1)
        prices = self._prices(most)
        chosen, value = Draft(pause="nothing to guess"), prices.plain
        for offer in offers:
            draft, worth = self.sources[offer.source].take(offer, prices, self._mood_score, value)
            if draft or not chosen:
                chosen, value = draft, max(value, worth)
        return chosen.padded(prices.cheapest(len(chosen))) if chosen else chosen

    def _to_measure(self, offers: Sequence[Offer], most: int) -> int:
        """The length of a pass that is to be measured now by checking nonsense, or 0.

        It is done once for each model and machine, before a draft model that may never pay reads or loads.
        """
        costs, room = self.target_costs, 1 + min(most, self.most)
        if all(self.sources[offer.source].costs is None for offer in offers):
            return 0
        for plain_passes, length in _MEASURED.items():
            if length not in costs.measured:
                return length if self._plain_passes >= plain_passes and length <= room else 0
            if costs.at(length) > _HOPELESS * length * costs.at(1):
                return 0
        return 0

    def observe(self, step: Round) -> None:
        """Learn what a pass cost, what became of the guesses, and how sure the target was."""
        caused = self._learn_costs(step)
        self._plain_passes += not step.draft and not step.reread
        self._since_plain = self._since_plain + 1 if step.draft else 0
        self._tokens = _RATE_MEMORY * self._tokens + len(step.tokens)
        self._seconds = _RATE_MEMORY * self._seconds + step.draft_seconds + step.target_seconds
        self._lookout.observe(step)
        for name, source in self.sources.items():
            if step.draft and name == step.draft.source:
                gain = len(step.tokens) - caused / self.target_costs.at(1)
                source.observe(step.draft, step.verdict, self._mood_score, gain)
            else:
                source.rest()
        for lead in step.leads:
            self.mood = _MOOD_MEMORY * self.mood + (1 - _MOOD_MEMORY) * sigmoid(lead)

    def _learn_costs(self, step: Round) -> float:
        """Learn what a pass costs, and apart from that, what it costs to take the wrong guesses of the last one back.

        Returns the seconds that the target spends on this draft, now or in the next pass.
        """
        length = 1 + len(step.draft)
        again = 0.0
        if step.reread and self.target_costs:
            again = max(0.0, step.target_seconds - self.target_costs.at(length))
        else:
            self.target_costs.observe(length, step.target_seconds)
        if self._was_wrong:
            before = self._setback()
            self._setback_seconds = before + _SETBACK_STEP * (again - before)
        self._was_wrong = step.verdict.accepted < len(step.draft)
        return step.target_seconds - again + self._was_wrong * self._setback()

    def _setback(self) -> float:
        """The seconds that a wrong guess costs in the next pass."""
        if self._setback_seconds is None:
            return self.setback * self.target_costs.at(1)
        return self._setback_seconds

    def plain_seconds(self) -> float | None:
        """See `DraftLength.plain_seconds`."""
        return self.target_costs.at(1) if self._plain_is_known else None

    @property
    def _plain_is_known(self) -> bool:
        return self._plain_passes >= _FEWEST_PLAIN

    def afresh(self) -> "AdaptiveLength":
        """The same rule as a new process would start it: it knows what passes cost, which is kept, and nothing else."""
        return AdaptiveLength(
            self.target_costs, {name: source.afresh() for name, source in self.sources.items()}, self.most, self.setback
        )

    def _prices(self, most: int) -> Prices:
        # how costs go on is not known far beyond what was measured, and a long draft that was wrong is dear
        costs = self.target_costs.upto(1 + min(most, self.most, 2 + 2 * max(self.target_costs.measured)))
        rate = max(1 / costs[0], self._tokens / self._seconds if self._seconds else 0.0)
        return Prices((rate * costs).tolist(), rate, most, rate * self._setback())

    @property
    def _mood_score(self) -> float:
        return math.log(self.mood / (1 - self.mood))


def sources(
    names: Iterable[str], draft_costs: CostCurve | None, share: float, clock: Callable[[], float] = perf_counter
) -> dict[str, Source]:
    """What is known at the start of the drafters called `names`; only the one that has a model has costs."""
    known = {
        MODEL: Source(draft_costs, clock, share),
        NGRAM: Source(None, clock, first_guess=(-0.9, 0.8)),
        FORM: Source(None, clock),
    }
    return {name: known[name] for name in names}
