"""Text in parts, of which some are reasoning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Phase = Literal["undecided", "reasoning", "between", "answer"]
"""What a text is at its end. Undecided may still become reasoning; between reasoning and answer is white space."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text that is part of the answer, or of the reasoning before it."""

    text: str
    is_reasoning: bool


class Splitter(Protocol):
    """Tells reasoning from answers while the text comes; marks between them are dropped."""

    def push(self, text: str) -> Sequence[Span]:
        """What is certain now that `text` has come."""

    def finish(self) -> Sequence[Span]:
        """What was held back and turned out to be text."""

    @property
    def phase(self) -> Phase:
        """What the text is by now; once it is the answer, it may be told so for good."""


class Unsplit:
    """All of it is the answer."""

    @property
    def phase(self) -> Phase:
        """The answer."""
        return "answer"

    def push(self, text: str) -> Sequence[Span]:
        """The text as it is."""
        return spans((text, False))

    def finish(self) -> Sequence[Span]:
        """Nothing was held back."""
        return ()


def spans(*parts: tuple[str, bool]) -> list[Span]:
    """Those of the parts that have any text."""
    return [Span(text, is_reasoning) for text, is_reasoning in parts if text]


def begins(text: str, marks: Iterable[str]) -> bool:
    """Whether `text` could become one of the marks, and is none yet."""
    return any(mark != text and mark.startswith(text) for mark in marks)
