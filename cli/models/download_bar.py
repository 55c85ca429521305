"""How far a download is, on a terminal."""

from dataclasses import dataclass, field
from types import TracebackType

from rich.progress import DownloadColumn, Progress, TaskID, TimeRemainingColumn, TransferSpeedColumn

from ..display.rich_bar import rich_bar
from ..environment import Environment

_EVERY = 0.25
"""Seconds between two updates."""


@dataclass(slots=True)
class DownloadBar:
    """Bytes, speed and the time left; nothing off a terminal. It is a `profiles.hub.progress.Progress`.

    It is drawn when bytes arrive.
    """

    env: Environment
    shown: bool
    _bar: Progress | None = None
    _task: TaskID = field(default=TaskID(0))
    _drawn: float = 0.0

    def __enter__(self) -> "DownloadBar":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def started(self, total: int, done: int) -> None:
        """Show the bar: `total` bytes are to be here at the end, `done` of them are already."""
        if not self.shown or not self.env.stderr_is_terminal or self.env.dumb:
            return
        self._bar = rich_bar(self.env, DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(compact=True))
        self._task = self._bar.add_task("", total=total, completed=done)
        self._bar.start()
        self._bar.console.show_cursor(True)  # a kill would leave it hidden

    def advanced(self, count: int) -> None:
        """Move on by `count` bytes."""
        if self._bar is None:
            return
        self._bar.update(self._task, advance=count)  # unlike advance(), right where a file starts over
        now = self.env.now()
        if now - self._drawn >= _EVERY:
            self._drawn = now
            self._bar.refresh()
