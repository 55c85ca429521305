"""How often to look for free guesses: to look takes time too, which a small model feels."""

from dataclasses import dataclass, field

from .drafting import Draft
from .rounds import Round

_SHARE = 0.003
"""The share of the time that may go into looks that come to nothing."""
_SELDOM = 4
"""At least one round in so many looks, since a quote that is found late has lost a token a round."""
_DEARER = 1.1
"""By so much a look may be dearer than the cheapest of late: the first one reads the prompt, some are interrupted."""


@dataclass(slots=True)
class Lookout:
    """Spaces looks out by what they cost, in seconds; after a draft the next round looks."""

    found: Draft = field(default_factory=Draft)
    """What the last look came to, which is taken to hold until the next."""
    _seconds: float = 0.0
    _skipped: int = 0
    _looked: bool = False

    def is_due(self, plain_seconds: float) -> bool:
        """Whether to look in this round, where a plain pass takes so long."""
        rounds = min(_SELDOM, self._seconds / (_SHARE * plain_seconds))
        self._looked = bool(self.found) or self._skipped + 1 >= rounds
        self._skipped = 0 if self._looked else self._skipped + 1
        return self._looked

    def observe(self, step: Round) -> None:
        """Learn what the look of a round came to, and what it cost, if there was one."""
        if self._looked:
            self.found = step.draft
            if not step.draft:
                self._seconds = min(step.draft_seconds, _DEARER * self._seconds or step.draft_seconds)
        self._looked = False
