"""A block of code, word by word."""

import re
from dataclasses import dataclass, field

from .fences import Fence
from .languages import lexing_for
from .lexing import Lexing
from .limits import MOST_HELD
from .style import PLAIN, Span

_WORD = re.compile(
    rf"\n|[^\S\n]{{1,{MOST_HELD}}}|\w{{1,{MOST_HELD}}}|[^\w\s]{{1,{MOST_HELD}}}",
)
"""A line break, white space, a word, or other characters: what is styled at once."""


@dataclass(slots=True)
class CodeBlock:
    """Code behind a `fence`, in a quotation behind `quotes` marks.

    A word is styled when the character behind it is there, by what is known then.
    """

    fence: Fence
    quotes: int
    in_code: bool = False
    """Whether the text is in a line of it."""
    _lexing: Lexing | None = field(init=False)

    def __post_init__(self) -> None:
        self._lexing = lexing_for(self.fence.info)

    def may_end_with(self, line: str) -> bool:
        """Whether `line` can become the fence that ends the block."""
        return re.fullmatch(rf"[ \t]*{re.escape(self.fence.mark[0])}*[ \t]*\r?", line) is not None

    def take(self, text: str, final: bool) -> list[Span]:
        """The words at the start of `text`, up to the end of the line; nothing while none is there as a whole."""
        spans: list[Span] = []
        for match in _WORD.finditer(text):
            word, behind = match[0], text[match.end() : match.end() + 1]
            if not behind and word != "\n" and not final:
                break
            spans += self._styled(word, "" if word == "\n" else behind)
            if word == "\n":
                self.in_code = False
                break
        return spans

    def _styled(self, word: str, behind: str) -> list[Span]:
        try:
            return self._lexing.add(word, behind) if self._lexing else [(word, PLAIN)]
        except Exception:  # noqa: BLE001 - there are hundreds of lexers, and no colour is worth an answer
            self._lexing = None
            return [(word, PLAIN)]
