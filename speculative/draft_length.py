"""How many tokens to draft in a round."""

from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from .drafting import FORM, Draft, Offers
from .rounds import Round


class DraftLength(Protocol):
    """Decides, guess by guess, how long a draft is worth its cost."""

    def take(self, offers: Offers, most: int) -> Draft:
        """The offer that is worth most, as far as it is worth it, at most `most` guesses; else the empty draft."""

    def observe(self, step: Round) -> None:
        """Learn from a finished round."""

    def plain_seconds(self) -> float | None:
        """What a pass over one token costs now, as measured in this run; None where too few were."""


@dataclass(frozen=True, slots=True)
class FixedLength:
    """The same number in every round."""

    length: int

    def take(self, offers: Offers, most: int) -> Draft:
        """Always `length` guesses of the first offer that has some, as far as there are; forms are asked last."""
        if self.length == 0:
            return Draft()
        for offer in sorted(offers(), key=lambda offer: offer.source == FORM):
            if guesses := tuple(islice(offer.guesses, min(self.length, most))):
                return Draft(guesses, offer.source)
        return Draft(pause="nothing to guess")

    def observe(self, step: Round) -> None:
        """Nothing to learn."""

    def plain_seconds(self) -> float | None:
        """Not known: where all rounds draft, nothing tells what they would cost without."""
        return None
