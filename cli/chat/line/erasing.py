"""Taking the line off the screen, whole, and without traces above it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prompt_toolkit.application import Application


def rows_above(widths: Sequence[int], column: int, columns: int) -> int:
    """The rows above the cursor, once a terminal of `columns` has broken what was wider.

    `widths` are those of the rows above the cursor's, and `column` is its place in its own.
    """
    return sum(max(1, -(-width // columns)) for width in widths) + column // columns


def reflows(variables: Mapping[str, str]) -> bool:
    """Whether the terminal breaks lines anew when it gets narrower. Nearly all do; these cut them off."""
    term = variables.get("TERM", "")
    return not ("XTERM_VERSION" in variables or term == "linux" or (term.startswith("screen") and "STY" in variables))


@dataclass(slots=True)
class Eraser:
    """Erases what prompt_toolkit has drawn, in two cases where that leaves some of it.

    It goes up by the rows that it drew, though a terminal that got narrower may have broken them into more. And it
    clears from the top of the screen down, upon which tmux puts what was there into its history.
    """

    app: Application[Any]
    reflows: bool
    _columns: int = 0
    _widths: list[int] = field(default_factory=list)
    _below: int = 0
    _column: int = 0

    def follow(self) -> None:
        """Remember each screen, and erase in the place of the app's renderer."""
        self.app.after_render += self._remember
        self.app.renderer.erase = self._erase  # type: ignore[method-assign]  # there is no event for this

    def _remember(self, app: Application[Any]) -> None:
        screen = app.renderer.last_rendered_screen
        if screen is None:  # it was drawn for the last time
            self._columns, self._widths, self._below, self._column = 0, [], 0, 0
            return
        cursor = screen.get_cursor_position(app.layout.current_window)
        rows = (screen.data_buffer[row] for row in range(cursor.y))
        self._widths = [max((x + cell.width for x, cell in row.items() if cell.char != " "), default=0) for row in rows]
        self._below = screen.height - 1 - cursor.y
        self._column = cursor.x
        self._columns = app.output.get_size().columns

    def _erase(self, leave_alternate_screen: bool = True) -> None:
        output = self.app.output
        columns = output.get_size().columns
        above = len(self._widths)
        if self.reflows and columns < self._columns:
            above = rows_above(self._widths, self._column, columns)
        output.cursor_backward(columns)
        if above:
            output.erase_down()
        else:
            output.cursor_down(self._below)
        for _ in range(above or self._below):
            output.erase_end_of_line()
            output.cursor_up(1)
        output.erase_end_of_line()
        output.reset_attributes()
        output.enable_autowrap()
        output.flush()
        self.app.renderer.reset(leave_alternate_screen=leave_alternate_screen)
