"""What was asked of a session, and what it said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from specchat.speculative.events import Event, GenerationFinished, PromptProgress, RoundFinished, TextChunk
from specchat.speculative.logprobs import ScoredToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """All that a text depends on, beside the models; `alike` if all of the answer before `index` was asked for so."""

    prompt: tuple[int, ...]
    index: int
    seed: int
    max_tokens: int | None
    stop: tuple[str, ...]
    sampling: Mapping[str, Any]
    alike: bool = True


@dataclass(slots=True, kw_only=True)
class Said:
    """An answer, as far as it came: to its end, cut with all that was said before told, or not read to the end."""

    asked: Asked
    ending: Literal["whole", "cut", "dropped"] = "dropped"
    tokens: tuple[int, ...] = ()
    text: str = ""
    reasoning: str = ""
    reason: str = ""
    error: str | None = None
    complete: bool | None = None
    seed: int = 0
    scored: tuple[ScoredToken, ...] = ()
    recalled: int = 0
    told: dict[str, int] = field(default_factory=dict)
    """Figures for the report."""

    def hear(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case PromptProgress(recalled=recalled):
                self.recalled = recalled
            case TextChunk(text, is_reasoning=True):
                self.reasoning += text
            case TextChunk(text):
                self.text += text
            case RoundFinished(step):
                self.tokens += step.tokens
                self.scored += step.scored
            case GenerationFinished():
                self._finish(event)

    def _finish(self, last: GenerationFinished) -> None:
        streamed = self.text, self.reasoning
        assert streamed == (last.text, last.reasoning), f"streamed {streamed}, finished {last.text, last.reasoning}"
        self.ending = "cut" if last.finish_reason in ("cancelled", "error") else "whole"
        self.tokens, self.reason, self.seed = last.tokens, last.finish_reason, last.seed
        self.error = last.error.message if last.error else None
        self.complete, self.scored = last.complete, last.scored
        stats = last.stats
        self.told = {
            "guesses accepted": stats.accepted,
            "guesses tested": stats.tested,
            "tokens from the cache": stats.cached_tokens,
            "with reasoning": bool(last.reasoning),
            "of a form, whole": last.complete is True,
            "of a form, not whole": last.complete is False,
            **{f"guesses by {source}": count for source, count in stats.drafted_by.items()},
        }
