"""What a round of the loop was."""

from dataclasses import dataclass

from .drafting import Draft
from .verification import Verdict


@dataclass(frozen=True, slots=True)
class Round:
    """One draft and what became of it.

    `tokens` is what the text grew by: the verdict's tokens, up to the end of the text. Times are in seconds; `leads`
    says of each verified token how far it led the target's other candidates, in nats; `plain_seconds` is what a pass
    without a draft costs by now, None where that was not measured.
    """

    draft: Draft
    verdict: Verdict
    tokens: tuple[int, ...]
    draft_seconds: float
    target_seconds: float
    leads: tuple[float, ...] = ()
    plain_seconds: float | None = None

    @property
    def accepted(self) -> int:
        """How many of the tokens were guessed; what was accepted behind the end of the text is not counted."""
        return min(self.verdict.accepted, len(self.tokens), self.draft.guessed)

    @property
    def tested(self) -> int:
        """How many guesses were looked at, up to the end of the text."""
        return min(self.verdict.tested, len(self.tokens), self.draft.guessed)
