"""A dim line of figures below an answer while it streams."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..environment import Environment
from .cursor import Cursor

_EVERY = 0.25
"""Seconds between two new figures."""
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_ERASE_BELOW = "\x1b[J"
_INDEX, _UP, _DOWN, _SAVE, _RESTORE = "\x1bD", "\x1b[A", "\x1b[B", "\x1b7", "\x1b8"
_CUT, _WRAP = "\x1b[?7l", "\x1b[?7h"
"""Whether a row that is too long is cut off, or goes on in the next one."""


@dataclass(slots=True)
class LiveLine:
    """Shows figures on the row below the text, on a terminal that knows escape codes.

    Only what stands behind the cursor is ever erased: whatever a resize or a terminal makes of the figures, they are
    gone with the next ones, and the text is on the screen exactly once. Nothing is erased where the cursor may stand on
    the last character of a full row; there the text has to reach the next row first, which is that of the figures. On a
    terminal that got narrower unnoticed the figures are cut off: a second row would scroll the text away from the
    cursor.
    """

    env: Environment
    figures: Callable[[], Sequence[str]]
    shown: bool = True
    _items: Sequence[str] = ()
    _drawn: bool = False
    """Whether figures may be on the screen."""
    _due: bool = False
    """Whether there are newer ones."""
    _since: float = -1.0
    _cursor: Cursor = field(init=False)
    _resizes: Callable[[], int] = lambda: 0
    _known_resizes: int = 0

    def __post_init__(self) -> None:
        terminals = self.env.stdout_is_terminal and self.env.stderr_is_terminal
        self.shown = self.shown and terminals and self.env.edits_lines()
        self._cursor = Cursor(self.env.columns())
        if self.shown:
            self._resizes = self.env.count_resizes()

    def around(self, text: str, write: Callable[[str], None]) -> None:
        """Let `text`, of which a terminal obeys line breaks and tabs alone, be written, and keep the line below it."""
        if not self.shown:
            write(text)
            return
        self._look()
        if self._drawn and self._cursor.reaches_next_row(text):
            text = self._out_of_the_way(text, write)
        write(text)
        self._cursor.advance(text)
        self._refresh()

    def end(self, end_line: Callable[[], None]) -> None:
        """Take the line away, and let the last line of the text be ended."""
        self._look()
        clear = self._cursor.is_in_next_row
        if self._drawn and clear:
            self._write(_ERASE_BELOW)
        end_line()
        if self._drawn and not clear:
            self._write(_ERASE_BELOW)
        self._drawn, self._items = False, ()

    def _look(self) -> None:
        """Look whether there was a resize: just before anything is erased, since one may come at any time."""
        self._cursor.resize(self.env.columns())
        if (resizes := self._resizes()) != self._known_resizes:
            self._known_resizes = resizes
            self._cursor.doubt()

    def _out_of_the_way(self, text: str, write: Callable[[str], None]) -> str:
        """Erase the figures, for which so much of `text` is written as it takes; returns the rest."""
        while text and self._drawn:
            count = self._until_clear(text)
            write(text[:count])
            text = text[count:]
            self._look()
            if self._cursor.is_clear or (text and self._cursor.is_in_next_row):
                self._write(_ERASE_BELOW)
                self._drawn = False
        return text

    def _until_clear(self, text: str) -> int:
        """How many characters of `text` it takes until they can be erased; the cursor is moved behind these."""
        for count, character in enumerate(text):
            steps_over_figures = character in "\n\t" and self._cursor.is_in_next_row
            if self._cursor.is_clear or steps_over_figures:
                return count
            self._cursor.advance(character)
        return len(text)

    def _refresh(self) -> None:
        now = self.env.now()
        self._since = now if self._since < 0 else self._since
        if now - self._since >= _EVERY:
            self._since, self._due, self._items = now, True, self.figures()
        self._look()
        text = _fitting(self._items, self._cursor.columns - 1)
        if text and (self._due or not self._drawn) and self._cursor.is_clear:
            text = f"{_DIM}{text}{_PLAIN}" if self.env.colors else text
            self._write(_ERASE_BELOW + _INDEX + _UP + _SAVE + _DOWN + "\r" + _CUT + text + _WRAP + _RESTORE)
            self._drawn, self._due = True, False

    def _write(self, text: str) -> None:
        self.env.stdout.write(text)
        self.env.stdout.flush()


def _fitting(items: Sequence[str], columns: int) -> str:
    """As many of the items as there is room for."""
    text = ""
    for item in items:
        longer = f"{text} · {item}" if text else item
        if len(longer) <= columns:
            text = longer
    return text
