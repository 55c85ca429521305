"""A dim line of figures below an answer while it streams."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .environment import Environment
from .screen import visible

_EVERY = 0.25
"""Seconds between two new figures."""
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_ERASE_BELOW = "\x1b[J"
_INDEX, _UP, _DOWN, _SAVE, _RESTORE = "\x1bD", "\x1b[A", "\x1b[B", "\x1b7", "\x1b8"
_UNSURE = 4
"""Columns by which the width of emoji and the like can be misjudged."""
_TAB = 8


@dataclass(slots=True)
class LiveLine:
    """Shows figures on the row below the text, on a terminal that knows escape codes.

    Only what stands behind the cursor is ever erased: whatever a resize or a terminal makes of the figures, they are
    gone with the next ones, and the text is on the screen exactly once. Nothing is erased where the cursor may stand on
    the last character of a full row; there the text has to reach the next row first, which is that of the figures.
    """

    env: Environment
    figures: Callable[[], Sequence[str]]
    shown: bool = True
    _text: str = ""
    _drawn: bool = False
    """Whether figures may be on the screen."""
    _due: bool = False
    """Whether there are newer ones."""
    _since: float = -1.0
    _place: "Place" = field(init=False)

    def __post_init__(self) -> None:
        terminals = self.env.stdout_is_terminal and self.env.stderr_is_terminal
        self.shown = self.shown and terminals and self.env.edits_lines()
        self._place = Place()

    def around(self, text: str, write: Callable[[str], None]) -> None:
        """Let `text` be written, and keep the line below it."""
        if not self.shown:
            write(text)
            return
        columns = self.env.columns()
        rest = text
        if self._drawn and self._place.reaches_next_row(text, columns):
            rest = self._out_of_the_way(text, write, columns)
        write(rest)
        self._place.advance(visible(rest), columns)
        self._refresh(columns)

    def end(self, end_line: Callable[[], None]) -> None:
        """Take the line away, and let the last line of the text be ended."""
        clear = self._place.is_clear(self.env.columns()) or self._place.is_in_next_row
        if self._drawn and clear:
            self._write(_ERASE_BELOW)
        end_line()
        if self._drawn and not clear:
            self._write(_ERASE_BELOW)
        self._drawn, self._text = False, ""

    def _out_of_the_way(self, text: str, write: Callable[[str], None], columns: int) -> str:
        """Erase the figures, for which so much of `text` is written as it takes; returns the rest."""
        place, count = self._place, 0
        while count < len(text) and not place.is_clear(columns):
            if text[count] in "\n\t" and place.is_in_next_row:  # they would step over what is left of the figures
                break
            place.advance(visible(text[count]), columns)
            count += 1
        write(text[:count])
        if place.is_clear(columns) or count < len(text):
            self._write(_ERASE_BELOW)
            self._drawn = False
        return text[count:]

    def _refresh(self, columns: int) -> None:
        now = self.env.now()
        self._since = now if self._since < 0 else self._since
        if now - self._since >= _EVERY:
            self._since, self._due = now, True
            self._text = _fitting(self.figures(), columns - 1)
        if self._text and (self._due or not self._drawn) and self._place.is_clear(columns):
            text = f"{_DIM}{self._text}{_PLAIN}" if self.env.colors else self._text
            self._write(_ERASE_BELOW + _INDEX + _UP + _SAVE + _DOWN + "\r" + text + _RESTORE)
            self._drawn, self._due = True, False

    def _write(self, text: str) -> None:
        self.env.stdout.write(text)
        self.env.stdout.flush()


@dataclass(slots=True)
class Place:
    """Where in its row the cursor stands behind a text."""

    column: int = 0
    exact: bool = True
    """Whether every terminal agrees: since the line began, there was nothing but what is as wide everywhere."""
    lost: bool = False
    """Whether nobody knows, until the line ends: terminals disagree about a tab behind a full row."""

    def advance(self, text: str, columns: int) -> None:
        """Move behind `text`."""
        from wcwidth import wcwidth

        for character in text:
            if character == "\n":
                self.column, self.exact, self.lost = 0, True, False
            elif character == "\t":  # goes to the last column at most, and to no other row
                self.lost = self.lost or self.column >= columns
                self.column = max(self.column, min(columns - 1, self.column + _TAB - self.column % _TAB))
            else:
                self._advance(max(0, wcwidth(character)), columns)
                self.exact = self.exact and not _is_drawn_differently(character)

    def _advance(self, width: int, columns: int) -> None:
        self.column += width
        if self.column > columns:
            self.column = width

    def is_clear(self, columns: int) -> bool:
        """Whether the cursor stands behind the last character for sure, and not on it."""
        if self.lost:
            return False
        return self.column < columns if self.exact else _UNSURE < self.column < columns - _UNSURE

    @property
    def is_in_next_row(self) -> bool:
        """Whether the text has just begun a row, as far as widths can be told."""
        return not self.lost and 0 < self.column <= _UNSURE

    def reaches_next_row(self, text: str, columns: int) -> bool:
        """Whether `text` may need another row."""
        most = 2 * len(text) + _TAB * text.count("\t")
        return "\n" in text or not self.is_clear(columns) or self.column + most > columns


def _is_drawn_differently(character: str) -> bool:
    """Whether terminals disagree about the width: emoji, and what is combined with others."""
    return character >= "\U0001f000" or unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")


def _fitting(items: Sequence[str], columns: int) -> str:
    """As many of the items as there is room for."""
    text = ""
    for item in items:
        longer = f"{text} · {item}" if text else item
        if len(longer) > columns:
            break
        text = longer
    return text
