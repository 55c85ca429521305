"""Where in its row the cursor stands behind a text: wide characters, full rows and resizes thought of."""

import unicodedata
from dataclasses import dataclass, field

_UNSURE = 4
"""Columns by which the width of emoji and the like can be misjudged."""
_TAB = 8


@dataclass(slots=True)
class Place:
    """A column, as far as it is known."""

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

    def cut(self, before: int, columns: int) -> None:
        """Stay on a terminal that has so many columns from now on, and cuts off what there is no room for."""
        self.exact = self.exact and self.column < min(
            before, columns
        )  # else it may be on the last column, or behind it
        self.column = min(self.column, columns)

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


@dataclass(slots=True)
class Cursor:
    """The places where the cursor may stand.

    Mostly that is one. Where a resize meets a line, some terminals break the line anew and others cut it off: until the
    line ends, what holds for one of them does not hold for all.
    """

    columns: int
    _places: list[Place] = field(default_factory=lambda: [Place()])
    _line: list[str] = field(default_factory=list)
    _on_last: bool = False
    """Whether a resize may have put it on the last character."""

    def advance(self, text: str) -> None:
        """Move behind `text`."""
        _, line_break, line = text.rpartition("\n")
        if line_break:
            self._places, self._line = [Place()], []
        self._line.append(line)
        self._on_last = self._on_last and not text
        for place in self._places:
            place.advance(line, self.columns)

    def resize(self, columns: int) -> None:
        """Know that the terminal has so many columns from now on."""
        if columns == self.columns:
            return
        line, anew = "".join(self._line), Place()
        anew.advance(line, columns)
        self._on_last = self._on_last or any(place.column >= self.columns for place in self._places)
        anew.exact = anew.exact and not self._on_last
        anew.lost = "\t" in line  # tabs are spaces to some
        for place in self._places:
            place.cut(self.columns, columns)
        self.columns = columns
        if anew not in self._places:
            self._places.append(anew)

    def doubt(self) -> None:
        """Know of a resize, be it there and back: until more is written, it may be on the last character."""
        self._on_last = True

    @property
    def is_clear(self) -> bool:
        """Whether it stands behind the last character for sure, and not on it."""
        return not self._on_last and all(place.is_clear(self.columns) for place in self._places)

    @property
    def is_in_next_row(self) -> bool:
        """Whether, where it is not clear, the text has just begun a row, as far as widths can be told."""
        begun = (place.is_in_next_row or place.is_clear(self.columns) for place in self._places)
        return not self._on_last and all(begun)

    def reaches_next_row(self, text: str) -> bool:
        """Whether `text` may need another row."""
        return self._on_last or any(place.reaches_next_row(text, self.columns) for place in self._places)


def _is_drawn_differently(character: str) -> bool:
    """Whether terminals disagree about the width: emoji, and what is combined with others."""
    return character >= "\U0001f000" or unicodedata.category(character) in ("Mn", "Me", "Mc", "Cf")
