"""A text in pieces, styled as Markdown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .code_block import CodeBlock
from .inline import Inline
from .limits import MOST_HELD
from .line_start import LineStart, line_start
from .style import BULLET, HEADING, MARK, PLAIN, Span, merged

_QUOTE = re.compile(r" {0,3}>")
_INDENT = re.compile(" {0,3}")
_NONE = -1
_BASES = {"heading": HEADING, "rule": MARK, "fence": MARK}


@dataclass(slots=True)
class Highlighter:
    """Styles text as it comes, and gives back exactly that text.

    A word or a mark is kept back until it is clear how it looks, at most `MOST_HELD` characters and one. What was given
    back stands, so the styles are a function of the text alone, however it was cut into pieces.
    """

    _held: str = ""
    _inline: Inline = field(default_factory=Inline)
    _at_start: bool = True
    """Whether the text is at the start of a line, or behind its quote marks and bullets."""
    _quotes: int = 0
    """The quote marks of this line so far."""
    _new_block: bool = True
    """Whether something in this line, or the end of the one before, began a block."""
    _paragraph: int = _NONE
    """The quote marks of the paragraph that the next line may go on with."""
    _code: CodeBlock | None = None

    def push(self, text: str) -> list[Span]:
        """Add text; returns what can be shown of all that was added."""
        self._held += text
        return list(merged(self._spans(final=False)))

    def finish(self) -> list[Span]:
        """The rest, as it looks if nothing follows."""
        return list(merged(self._spans(final=True)))

    def _spans(self, final: bool) -> Iterator[Span]:
        place = 0
        while place < len(self._held) and (spans := self._next(self._held[place:], final)) is not None:
            place += sum(len(text) for text, _ in spans)
            yield from spans
        self._held = self._held[place:]

    def _next(self, text: str, final: bool) -> list[Span] | None:
        """The next spans, which may be none where only something about the line was found out; None to wait."""
        if self._at_start:
            return self._line_start(text, final) if self._code is None else self._code_start(text, final, self._code)
        if self._code and self._code.in_code:
            spans = self._code.take(text, final)
            self._at_start = bool(spans) and spans[-1][0].endswith("\n")
            if self._at_start:
                self._end_line()
            return spans or None
        if text[0] == "\n":
            self._end_line()
            return [("\n", PLAIN)]
        return self._inline.take(text, final) or None

    def _end_line(self) -> None:
        self._at_start, self._quotes, self._new_block = True, 0, False

    def _line_start(self, text: str, final: bool) -> list[Span] | None:
        start = line_start(text, final)
        if start is None:
            return None
        match start.kind:
            case "quote":
                self._quotes += 1
                return [(start.text, MARK)]
            case "item":
                self._new_block = True
                return [(start.text, BULLET)]
        self._at_start = False
        return self._block(start)

    def _block(self, start: LineStart) -> list[Span]:
        """Begin what a line is, or go on with the paragraph before it."""
        goes_on = start.kind == "text" and not self._new_block and self._quotes == self._paragraph
        self._paragraph = self._quotes if start.kind == "text" else _NONE
        if goes_on:
            self._inline.begin_line()
        else:
            self._inline.begin(_BASES.get(start.kind, PLAIN), in_table=start.kind == "table")
        if start.fence:
            self._code = CodeBlock(start.fence, self._quotes)
        return [(start.text, _BASES.get(start.kind, PLAIN))]

    def _code_start(self, text: str, final: bool, code: CodeBlock) -> list[Span] | None:
        """The start of a line in a block of code: quote marks that go on, or its end, or code."""
        line, ended, _ = text.partition("\n")
        whole = len(line) <= MOST_HELD and (bool(ended) or final)
        if self._quotes < code.quotes:
            if mark := _QUOTE.match(text):
                self._quotes += 1
                return [(mark[0], MARK)]
            if _INDENT.fullmatch(line) and not whole:
                return None
            self._code = None  # the quote is over, and with it the block
            return []
        if code.may_end_with(line) and not whole and len(line) <= MOST_HELD:
            return None
        self._at_start = False
        if whole and code.fence.closes(line):
            self._code = None
            return [(line, MARK)]
        code.in_code = True
        return []
