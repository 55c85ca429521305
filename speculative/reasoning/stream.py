"""Token bytes to an answer, with the reasoning apart."""

import codecs
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..text import TextStream
from .spans import Phase, Span, Splitter, Unsplit


@dataclass(slots=True)
class AnswerStream:
    """What an answer says, which ends before the first of the `stop` strings; reasoning may hold them.

    A character split over tokens waits for its last byte.
    """

    splitter: Splitter = field(default_factory=Unsplit)
    stop: Sequence[str] = ()
    reasoning: str = ""
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace")
    )
    _answer: TextStream = field(init=False)

    def __post_init__(self) -> None:
        self._answer = TextStream(self.stop)

    @property
    def text(self) -> str:
        """The answer, as far as it was let through."""
        return self._answer.text

    @property
    def phase(self) -> Phase:
        """What the text is by now."""
        return self.splitter.phase

    @property
    def stopped(self) -> bool:
        """Whether a stop string is complete."""
        return self._answer.stopped

    def push(self, piece: bytes) -> list[Span]:
        """What is certain now that `piece` has come."""
        return self._tell(self.splitter.push(self._decoder.decode(piece)))

    def finish(self) -> list[Span]:
        """What was held back and turned out to be text; an unfinished character is dropped."""
        if self.stopped:
            return []
        told = self._tell(self.splitter.finish())
        rest = self._answer.finish()
        return [*told, Span(rest, False)] if rest else told

    def _tell(self, spans: Iterable[Span]) -> list[Span]:
        told = []
        for span in spans:
            if span.is_reasoning:
                self.reasoning += span.text
                told.append(span)
            elif text := self._answer.push(span.text):
                told.append(Span(text, False))
            if self.stopped:
                break
        return told
