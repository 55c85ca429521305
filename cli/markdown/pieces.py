"""An answer in pieces as they can be shown: each of one style, and guessed or not."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..environment import Environment
from .highlighter import Highlighter
from .style import Span, Style

Piece = tuple[str, bool, Style | None]
"""Text, whether it came from the draft, and its style; None is that of an answer without any."""


@dataclass(slots=True)
class Pieces:
    """Cuts an answer where its style changes, if it is to be styled and standard output takes colours.

    Else all passes as it comes.
    """

    env: Environment
    wanted: bool
    _highlighter: Highlighter = field(default_factory=Highlighter)
    _origins: deque[tuple[int, bool]] = field(default_factory=deque)
    """Of what was pushed and is not shown yet: how many characters came from where."""

    def push(self, text: str, from_draft: bool) -> Iterable[Piece]:
        """Add text; what can be shown of it and of what was kept back."""
        if not self.wanted or not self.env.colors_on(self.env.stdout_is_terminal):
            return [(text, from_draft, None)]
        before = self._origins.pop()[0] if self._origins and self._origins[-1][1] == from_draft else 0
        self._origins.append((before + len(text), from_draft))
        return self._pieces(self._highlighter.push(text))

    def finish(self) -> Iterable[Piece]:
        """What is still kept back."""
        return self._pieces(self._highlighter.finish())

    def _pieces(self, spans: Iterable[Span]) -> Iterator[Piece]:
        for text, style in spans:
            place = 0
            while place < len(text):
                count, from_draft = self._origins.popleft()
                taken = min(count, len(text) - place)
                if taken < count:
                    self._origins.appendleft((count - taken, from_draft))
                yield text[place : place + taken], from_draft, style
                place += taken
