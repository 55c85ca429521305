"""What a round of the loop was."""

from dataclasses import dataclass

from .drafting import Draft
from .logprobs import ScoredToken
from .verification import Verdict


@dataclass(frozen=True, slots=True)
class Round:
    """One draft and what became of it.

    `tokens` is what the text grew by: the verdict's tokens, up to the end of the text. Times are in seconds; `leads`
    says of each verified token how far it led the target's other candidates, in nats; `plain_seconds` is what a pass
    without a draft costs by now, None where that was not measured. `scored` are the tokens, where that was asked for.
    The pass read `reread` tokens once more, which the target had forgotten when it took others back. Passes take
    `slowdown` times as long as they would if there were no draft.
    """

    draft: Draft
    verdict: Verdict
    tokens: tuple[int, ...]
    draft_seconds: float
    target_seconds: float
    leads: tuple[float, ...] = ()
    plain_seconds: float | None = None
    scored: tuple[ScoredToken, ...] = ()
    reread: int = 0
    slowdown: float = 1.0

    @property
    def accepted(self) -> int:
        """How many of the tokens were guessed; what was accepted behind the end of the text is not counted."""
        return min(self.verdict.accepted, len(self.tokens), self.draft.guessed)

    @property
    def tested(self) -> int:
        """How many guesses were looked at, up to the end of the text."""
        return min(self.verdict.tested, len(self.tokens), self.draft.guessed)

    def seconds_undrafted(self, otherwise: float | None = None) -> float:
        """What the target would have taken for the same tokens one by one; `otherwise` is a plain pass, if unmeasured.

        Where that is not known either, and without a draft, it is what the target took.
        """
        plain = otherwise if self.plain_seconds is None else self.plain_seconds
        seconds = self.target_seconds if plain is None or not self.draft else len(self.tokens) * plain
        return seconds / self.slowdown
