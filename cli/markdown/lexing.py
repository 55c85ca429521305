"""Code that is read by Pygments while it is written."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .code_style import style_of
from .rules import START, Rules, Stack, Token
from .style import PLAIN, Span, Style

if TYPE_CHECKING:
    from pygments.lexer import Lexer, RegexLexer

_LONGEST = 4000
"""Characters that may be read again with every word: of a string or a comment that does not end, of a line."""


class Lexing(Protocol):
    """Reads code."""

    def add(self, word: str, behind: str) -> list[Span]:
        """Style one more word; `behind` is the character after it, "" at the end of a line or of all."""


@dataclass(slots=True)
class LexingByState:
    """Goes on from the end of the last token that is certain, in the state that the lexer was in there."""

    lexer: "RegexLexer"
    _rules: Rules = field(init=False)
    _stack: Stack = START
    _text: str = ""
    """From the start of the line of `_place` on: rules look back."""
    _place: int = 0

    def __post_init__(self) -> None:
        self._rules = Rules(self.lexer)

    def add(self, word: str, behind: str) -> list[Span]:
        """Style one more word."""
        start = len(self._text)
        self._text += word
        end = len(self._text)
        tokens: list[Token] = []
        for match in self._rules.matches(self._text + behind, self._place, self._stack):
            tokens += match.tokens
            if self._place < match.end <= end and match.end < end + len(behind):  # what took nothing may have guessed
                self._place, self._stack = match.end, match.stack
        spans = _between(tokens, start, end, self._text)
        self._forget()
        return spans

    def _forget(self) -> None:
        if len(self._text) - self._place > _LONGEST:
            self._place = len(self._text)
        line = self._text.rfind("\n", 0, self._place) + 1
        self._text, self._place = self._text[line:], self._place - line


@dataclass(slots=True)
class LexingByLine:
    """Reads each line for itself, for lexers that cannot go on from the middle."""

    lexer: "Lexer"
    _line: str = ""

    def add(self, word: str, behind: str) -> list[Span]:
        """Style one more word."""
        start = len(self._line)
        self._line += word
        tokens = self.lexer.get_tokens_unprocessed(self._line + behind) if start < _LONGEST // 8 else ()
        spans = _between(tokens, start, start + len(word), self._line)
        if word == "\n":
            self._line = ""
        return spans


def _between(tokens: Iterable[Token], start: int, end: int, text: str) -> list[Span]:
    """What the tokens say about a part of the text."""
    styles: list[Style] = [PLAIN] * (end - start)
    for place, kind, value in tokens:
        for index in range(max(place, start), min(place + len(value), end)):
            styles[index - start] = style_of(kind)
    return [(text[start + index], style) for index, style in enumerate(styles)]
