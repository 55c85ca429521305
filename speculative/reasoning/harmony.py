"""The channels of gpt-oss (OpenAI's "harmony" format): messages that say in a header whom they are for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..text import overlap
from .spans import Phase, Span, begins, spans

_START, _CHANNEL, _MESSAGE, _END = "<|start|>", "<|channel|>", "<|message|>", "<|end|>"
_REASONING, _FINAL = "analysis", "final"
_CLOSED = f"{_END}{_START}assistant"
_HEADERS = (_START, _CHANNEL, _MESSAGE)
_CUTS = (_END, _START, _CHANNEL, _MESSAGE)
_LONGEST_HEADER = 200
_OPEN = re.compile(rf"{re.escape(_CHANNEL)}([^<]*){re.escape(_MESSAGE)}[^<]*\Z")


@dataclass(frozen=True, slots=True)
class Harmony:
    """`<|channel|>analysis<|message|>` begins reasoning, up to `<|end|>`; other channels are the answer."""

    @property
    def marks(self) -> Sequence[str]:
        """All of them are control tokens."""
        return _CUTS

    @property
    def signs(self) -> Sequence[str]:
        """Others have the rest of them too."""
        return (_CHANNEL,)

    def splitter(self, before: str) -> "HarmonySplitter":
        """Prompts end with the beginning of a header, or with a whole one."""
        header = _OPEN.search(before)
        if header is None:
            return HarmonySplitter()
        return HarmonySplitter("body", is_reasoning=_is_reasoning(header[1]))

    def around(self, before: str) -> tuple[str, str] | None:
        """What stands around reasoning behind `before`; None where no more of it can follow."""
        header = _OPEN.search(before)
        if header and not _is_reasoning(header[1]):
            return None
        opening = "" if header else f"{_CHANNEL}{_REASONING}{_MESSAGE}"
        return opening, f"{_CLOSED}{_CHANNEL}{_FINAL}{_MESSAGE}"

    def skip(self, before: str) -> str:
        """What `lead` gives: the header alone keeps a model from reasoning."""
        return self.lead(before)

    def lead(self, before: str) -> str:
        """What has to stand between `before`, the end of a prompt, and an answer without reasoning: its header."""
        header = _OPEN.search(before)
        if header and not _is_reasoning(header[1]):
            return ""
        return f"{_CLOSED if header else ''}{_CHANNEL}{_FINAL}{_MESSAGE}"


@dataclass(slots=True)
class HarmonySplitter:
    """Splits one answer; between two messages of a kind stands an empty line."""

    _state: Literal["header", "body"] = "header"
    is_reasoning: bool = False
    _held: str = ""
    _kinds: frozenset[bool] = frozenset()
    """Whether what there was so far is reasoning: one of the two, or both."""
    _fresh: bool = False
    """Whether a message has begun that has no text yet."""

    @property
    def phase(self) -> Phase:
        """A header is told like the reasoning that it may begin."""
        if self._state == "body":
            return "reasoning" if self.is_reasoning else "answer"
        return "reasoning" if self._held.startswith(_HEADERS) or self._kinds else "undecided"

    def push(self, text: str) -> Sequence[Span]:
        """What is certain; held back are headers, and beginnings of marks."""
        self._held += text
        found: list[Span] = []
        while True:
            state, held = self._state, self._held
            found += self._header() if state == "header" else self._body()
            if (self._state, self._held) == (state, held) or not self._held:
                return found

    def finish(self) -> Sequence[Span]:
        """A header that is not complete is no text."""
        held, self._held = self._held, ""
        return () if self._state == "header" and held.startswith(_HEADERS) else self._tell(held)

    def _header(self) -> Sequence[Span]:
        """Read up to `<|message|>`; a text that begins otherwise is an answer without a header."""
        header, message, rest = self._held.partition(_MESSAGE)
        if not (begins(self._held, _HEADERS) or self._held.startswith(_HEADERS)):
            self._begin(self._held, False)
        elif message:
            self._begin(rest, _is_reasoning(header.rpartition(_CHANNEL)[2]))
        elif len(header) > _LONGEST_HEADER:
            mark = next(filter(header.startswith, _HEADERS))
            self._begin(header[len(mark) :], False)
        return ()

    def _begin(self, rest: str, is_reasoning: bool) -> None:
        self._held, self._state, self.is_reasoning, self._fresh = rest, "body", is_reasoning, True

    def _body(self) -> Sequence[Span]:
        held = self._held
        place = min((place for place in map(held.find, _CUTS) if place >= 0), default=-1)
        if place < 0:
            certain = len(held) - max(overlap(held, mark) for mark in _CUTS)
            self._held = held[certain:]
            return self._tell(held[:certain])
        ended = held.startswith(_END, place)
        self._held, self._state = held[place + (len(_END) if ended else 0) :], "header"
        return self._tell(held[:place])

    def _tell(self, text: str) -> Sequence[Span]:
        if not text:
            return ()
        again = self._fresh and self.is_reasoning in self._kinds
        self._fresh = False
        self._kinds |= {self.is_reasoning}
        return spans(("\n\n" if again else "", self.is_reasoning), (text, self.is_reasoning))


def _is_reasoning(header: str) -> bool:
    return header.split(maxsplit=1)[:1] == [_REASONING]
