"""An emulator of a terminal with scrollback, which knows what was one line before it broke it into rows."""

from collections.abc import Iterator
from typing import Any

import pyte
from wcwidth import wcwidth

_BREAK = -1
"""The place in a row, outside of the screen, where it is written how many columns it had when the text went on."""


class Screen(pyte.HistoryScreen):  # type: ignore[misc]
    """What pyte gets wrong is put right here.

    A wide character that does not fit goes to the next row, as on all terminals. What has no width joins the character
    before it, be that at the end of a row (pyte begins a row for it) or a joiner of emoji (pyte drops it). Rows that a
    lower screen has no room for go into the scrollback, after empty ones below the cursor; pyte drops the topmost ones.
    A narrower screen keeps the cursor on it, and cuts its rows off: like xterm, pyte does not break them anew. Behind a
    full row the cursor is on its last character, as soon as anything but text comes: on xterm that is erased with what
    is below.
    """

    def __init__(self, columns: int, rows: int) -> None:
        super().__init__(columns, rows, history=100_000, ratio=0.5)

    def draw(self, data: str) -> None:
        for character in data:
            width = wcwidth(character)
            if width == 0:
                self._join(character)
                continue
            if self.cursor.x + width > self.columns and pyte.modes.DECAWM in self.mode:
                self.buffer[self.cursor.y][_BREAK] = self.cursor.attrs._replace(data=str(self.cursor.x))
                self.carriage_return()
                self.linefeed()
            super().draw(character)

    def _join(self, character: str) -> None:
        row, place = self.buffer[self.cursor.y], self.cursor.x - 1
        if place > 0 and not row[place].data:  # the second half of a wide character
            place -= 1
        if place >= 0:
            row[place] = row[place]._replace(data=row[place].data + character)

    def erase_in_display(self, how: int = 0, *args: Any, **settings: Any) -> None:
        self._stop_wrapping()
        super().erase_in_display(how, *args, **settings)

    def cursor_up(self, count: int | None = None) -> None:
        self._stop_wrapping()
        super().cursor_up(count)

    def _stop_wrapping(self) -> None:
        self.cursor.x = min(self.cursor.x, self.columns - 1)

    def resize(self, lines: int | None = None, columns: int | None = None) -> None:
        if (lines or self.lines, columns or self.columns) == (self.lines, self.columns):
            return
        self._stop_wrapping()
        lines, rows = lines or self.lines, [self.buffer[y] for y in range(self.lines)]
        above = max(0, self.cursor.y + 1 - lines)
        self.history.top.extend(rows[:above])
        self.buffer.clear()
        self.buffer.update(enumerate(rows[above : above + lines]))
        self.cursor.y -= above
        self.lines = lines
        super().resize(columns=columns)
        self.set_margins()
        self._stop_wrapping()

    @property
    def rows(self) -> list[str]:
        """What is on the screen and above it, without empty rows at the end."""
        rows = [self._text(row).rstrip() for row in self._rows()]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def below(self) -> list[str]:
        """The rows of the screen below the cursor."""
        return [self._text(self.buffer[y]) for y in range(self.cursor.y + 1, self.lines)]

    @property
    def text(self) -> list[str]:
        """The same, with the rows of each line rejoined."""
        lines, line = [], ""
        for row in self._rows():
            width = int(row[_BREAK].data) if row[_BREAK].data.isdigit() else None
            line += self._text(row)[:width] if width is None else self._text(row, width)
            if width is None:
                lines.append(line.rstrip())
                line = ""
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def _rows(self) -> Iterator[Any]:
        yield from self.history.top
        yield from (self.buffer[y] for y in range(self.lines))

    def _text(self, row: Any, width: int | None = None) -> str:
        return "".join(row[x].data for x in range(min(self.columns, width or self.columns)))
