"""Emphasis, code spans and addresses in the lines of a paragraph."""

import re
from dataclasses import dataclass, field

from .emphasis import Emphasis
from .flanking import can_close, can_open, opens_for_sure
from .limits import MOST_HELD
from .style import CODE, LINK, MARK, PLAIN, Span, Style

_TEXT = re.compile(r"h?[^\n`*_\\\]|h]+")
_SCHEMES = ("https://", "http://")
_ADDRESS = re.compile(r"[^\s()<>`*\"]+")
_ESCAPABLE = re.compile(r"[!-/:-@\[-`{-~]")


@dataclass(slots=True)
class Inline:
    """Styles the text of a block from left to right.

    What is opened is believed until it is closed, or the block ends; only a word is kept back to look whether it does
    open something.
    """

    _base: Style = PLAIN
    _in_table: bool = False
    _before: str = ""
    """The character before the text; "" at the start of a line."""
    _emphasis: Emphasis = field(default_factory=Emphasis)
    _ticks: int = 0
    """How many backticks close the code span."""
    _brackets: int = -1
    """In an address: how many brackets are open in it. -1 elsewhere."""

    def begin(self, base: Style = PLAIN, in_table: bool = False) -> None:
        """Start a block, in which nothing is open."""
        self._base, self._in_table, self._ticks, self._emphasis = base, in_table, 0, Emphasis()
        self.begin_line()

    def begin_line(self) -> None:
        """Go on with the block on another line."""
        self._before, self._brackets = "", -1

    def take(self, text: str, final: bool) -> list[Span]:
        """Style the start of `text`, which is no line break; nothing while it takes more to know."""
        spans = self._take(text, final)
        if spans:
            self._before = spans[-1][0][-1]
        return spans

    def _take(self, text: str, final: bool) -> list[Span]:
        if self._ticks:
            return self._code(text, final)
        if self._brackets >= 0 and (address := self._address(text)):
            return address
        match text[0]:
            case "`":
                return self._code_start(text, final)
            case "*" | "_":
                return self._emphasis_mark(text, final)
            case "\\":
                return self._escape(text, final)
            case "]":
                return self._bracket(text, final)
            case "h" if not self._before.isalnum() and (scheme := self._scheme(text, final)) is not None:
                return scheme
            case "|" if self._in_table:
                self._emphasis = Emphasis()
                return [("|", MARK)]
        match = _TEXT.match(text)
        return self._styled(match[0] if match else text[0])

    def _styled(self, text: str, style: Style = PLAIN) -> list[Span]:
        return [(text, self._base | self._emphasis.style | style)]

    def _code_start(self, text: str, final: bool) -> list[Span]:
        run = _run(text, final)
        if 0 < run < MOST_HELD:
            self._ticks = run
        return self._styled(text[:run], CODE) if run else []

    def _code(self, text: str, final: bool) -> list[Span]:
        if text[0] != "`":
            return self._styled(re.split("[`\n]", text, maxsplit=1)[0], CODE)
        run = _run(text, final)
        if run == self._ticks:
            self._ticks = 0
        return self._styled(text[:run], CODE) if run else []

    def _emphasis_mark(self, text: str, final: bool) -> list[Span]:
        mark, run = text[0], _run(text, final)
        if not run or run == MOST_HELD:
            return self._styled(text[:run]) if run else []
        before, after = self._before, text[run : run + 1]
        opens: bool | None = can_open(mark, before, after)
        closes = can_close(mark, before, after)
        both = bool(opens and closes)
        if opens:
            opens = opens_for_sure(mark, before, text[run:], final)
        if opens is None:
            return []
        ending = self._styled(text[:run])
        left = self._emphasis.close(mark, run, both) if closes else run
        if left == 0 or not opens:
            return ending
        self._emphasis.open(mark, left, both)
        return [*self._cut(ending, run - left), *self._styled(text[:left])]

    def _cut(self, spans: list[Span], count: int) -> list[Span]:
        return [(text[:count], style) for text, style in spans if count]

    def _escape(self, text: str, final: bool) -> list[Span]:
        if len(text) == 1 and not final:
            return []
        return self._styled(text[:2] if _ESCAPABLE.match(text[1:2]) else text[:1])

    def _bracket(self, text: str, final: bool) -> list[Span]:
        """What is in brackets is a link only if an address follows, so its text looks like any other."""
        if len(text) == 1 and not final:
            return []
        if text[1:2] != "(":
            return self._styled("]")
        self._brackets = 0
        return self._styled("](")

    def _scheme(self, text: str, final: bool) -> list[Span] | None:
        """An address that begins here; nothing while it may, None where none does."""
        for scheme in _SCHEMES:
            if text.startswith(scheme):
                self._brackets = 0
                return self._styled(scheme, LINK)
        maybe = any(scheme.startswith(text) for scheme in _SCHEMES)
        return [] if maybe and not final else None

    def _address(self, text: str) -> list[Span]:
        """The next part of an address; nothing at its end."""
        if match := _ADDRESS.match(text):
            return self._styled(match[0], LINK)
        self._brackets += {"(": 1, ")": -1}.get(text[0], -MOST_HELD)
        if self._brackets < 0:
            self._brackets = -1
            return []
        return self._styled(text[0], LINK)


def _run(text: str, final: bool) -> int:
    """How often the first character is repeated; 0 while there may come more, and never more than is kept back."""
    run = len(text) - len(text.lstrip(text[0]))
    if run >= MOST_HELD:
        return MOST_HELD
    return run if run < len(text) or final else 0
