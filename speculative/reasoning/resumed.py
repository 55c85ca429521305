"""Answers that go on: what the part before held back was told at its end."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass

from ..model import common_prefix
from .spans import Phase, Span, Splitter


@dataclass(slots=True)
class Resumed:
    """A `splitter` behind the beginning of an answer: text that it held back there is not told a second time."""

    splitter: Splitter
    _told: str
    _was_reasoning: bool

    @classmethod
    def behind(cls, splitter: Splitter, text: str) -> "Resumed":
        """Behind `text`, all that could be told of which was told."""
        splitter.push(text)
        told = copy(splitter).finish()
        return cls(splitter, "".join(span.text for span in told), any(span.is_reasoning for span in told))

    @property
    def phase(self) -> Phase:
        """That of the splitter."""
        return self.splitter.phase

    def push(self, text: str) -> Sequence[Span]:
        """What is certain now and was not told."""
        return list(self._news(self.splitter.push(text)))

    def finish(self) -> Sequence[Span]:
        """What was held back since, and turned out to be text."""
        return list(self._news(self.splitter.finish()))

    def _news(self, found: Sequence[Span]) -> Iterable[Span]:
        for span in found:
            again = common_prefix(self._told, span.text) if span.is_reasoning == self._was_reasoning else 0
            self._told = self._told[again:] if again == len(span.text) else ""
            if again < len(span.text):
                yield Span(span.text[again:], span.is_reasoning)
