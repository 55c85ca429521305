"""The rules of a lexer of Pygments, run so that they can go on later from where they were."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .code_style import is_text

if TYPE_CHECKING:
    import re

    from pygments.lexer import RegexLexer
    from pygments.token import _TokenType

Stack = tuple[str, ...]
Token = tuple[int, "_TokenType", str]
START: Stack = ("root",)

_COMMENTS = (("/*", "*/"), ("<!--", "-->"), ("//", "\n"), ("#", "\n"), ("--", "\n"))
_QUOTES = tuple((quote, quote) for quote in "\"'`")
_LINE = (("", "\n"),)


@dataclass(frozen=True, slots=True)
class Match:
    """What one rule took: its tokens, where it ended, and the state behind it."""

    tokens: list[Token]
    end: int
    stack: Stack


@dataclass(slots=True)
class Rules:
    """The rules of `lexer`, by state.

    Many strings and comments are a single rule, which matches when they end. Such a one that has only begun is read as
    if it ended where the text does.
    """

    lexer: "RegexLexer"
    _by_state: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        kind = type(self.lexer)
        self._by_state = kind.process_tokendef("", kind.get_tokendefs())

    def matches(self, text: str, place: int, stack: Stack) -> Iterator[Match]:
        """What the rules take of `text` from `place` on, one after the other."""
        while place < len(text):
            found = (
                self._begun(text, place, stack, _COMMENTS)  # else the first character is an operator
                or self._taken(text, place, stack)
                or self._begun(text, place, stack, _QUOTES)
                or self._begun(text, place, stack, _LINE)
                or _mistake(text, place, stack)
            )
            yield found
            place, stack = found.end, found.stack

    def _taken(self, text: str, place: int, stack: Stack) -> Match | None:
        """What the first rule takes that takes something."""
        for match_at, action, new_state in self._by_state[stack[-1]]:
            if match := match_at(text, place):
                return Match(self._tokens(action, match), match.end(), _moved(stack, new_state))
        return None

    def _begun(self, text: str, place: int, stack: Stack, pairs: Sequence[tuple[str, str]]) -> Match | None:
        """The rest of the text, if it becomes one string, comment or line when it ends."""
        for start, end in pairs:
            if text.startswith(start, place):
                found = self._taken(text + end, place, stack)
                if found and found.end > len(text) and found.tokens and (not start or is_text(found.tokens[0][1])):
                    return Match(found.tokens, len(text), stack)
        return None

    def _tokens(self, action: Any, match: "re.Match[str]") -> list[Token]:
        from pygments.token import _TokenType

        if action is None:
            return []
        if isinstance(action, _TokenType):
            return [(match.start(), action, match[0])]
        return list(action(self.lexer, match))


def _mistake(text: str, place: int, stack: Stack) -> Match:
    """What no rule takes; with a line all is over."""
    from pygments.token import Error

    return Match([(place, Error, text[place])], place + 1, START if text[place] == "\n" else stack)


def _moved(stack: Stack, new_state: Any) -> Stack:
    """The states behind a rule: it can name some, take some away, or double the last."""
    if new_state is None:
        return stack
    if isinstance(new_state, int):
        return stack[:new_state] or stack[:1]
    for state in (new_state,) if isinstance(new_state, str) else new_state:
        if state == "#pop":
            stack = stack[:-1] or stack
            continue
        stack = (*stack, stack[-1] if state == "#push" else state)
    return stack
