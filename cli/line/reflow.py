"""How many rows a text takes after the terminal changed its width."""

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
class Reflow:
    """What stands on the screen, so that all of it is erased when the terminal has broken it into more rows.

    prompt_toolkit goes up by the rows that it wrote, which leaves some of them there.
    """

    app: Application[Any]
    _columns: int = 0
    _widths: list[int] = field(default_factory=list)
    _column: int = 0

    def follow(self) -> None:
        """Remember each screen, and go up the further rows before one of another width is erased."""
        erase = self.app.renderer.erase

        def erased(leave_alternate_screen: bool = True) -> None:
            self._go_up()
            erase(leave_alternate_screen)

        self.app.after_render += self._remember
        self.app.renderer.erase = erased  # type: ignore[method-assign]  # it has no event for this

    def _remember(self, app: Application[Any]) -> None:
        screen = app.renderer.last_rendered_screen
        if screen is None:
            self._columns = 0
            return
        cursor = screen.get_cursor_position(app.layout.current_window)
        self._columns = app.output.get_size().columns
        self._column = cursor.x
        rows = (screen.data_buffer[row] for row in range(cursor.y))
        self._widths = [max((x + cell.width for x, cell in row.items() if cell.char != " "), default=0) for row in rows]

    def _go_up(self) -> None:
        columns = self.app.output.get_size().columns
        if self._columns and columns < self._columns:
            self.app.output.cursor_up(rows_above(self._widths, self._column, columns) - len(self._widths))
        self._columns = 0
