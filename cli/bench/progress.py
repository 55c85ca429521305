"""How far a benchmark is, without disturbing what it measures."""

from dataclasses import dataclass, field
from types import TracebackType

from rich.progress import Progress, TaskID, TextColumn

from ..display.rich_bar import rich_bar
from ..display.screen import one_line
from ..environment import Environment

_EVERY = 1.0
"""Seconds between two updates."""


@dataclass(slots=True)
class BenchProgress:
    """A bar of the time, on a terminal only. It is drawn when `tick` is called: no thread steals time."""

    env: Environment
    seconds: float
    shown: bool
    _bar: Progress | None = None
    _task: TaskID = field(default=TaskID(0))
    _started: float | None = None
    _drawn: float = 0.0

    def __enter__(self) -> "BenchProgress":
        if self.shown and self.env.stderr_is_terminal:
            self._bar = rich_bar(
                self.env, TextColumn("{task.fields[left]}"), TextColumn("{task.description}", markup=False)
            )
            self._task = self._bar.add_task("", total=self.seconds, left=f"{self.seconds:.0f} s left")
            self._bar.start()
            self._bar.console.show_cursor(True)  # a second Ctrl-C kills, and would leave it hidden
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def start(self) -> None:
        """From now on the time runs."""
        self._started = self.env.now()

    def show(self, doing: str) -> None:
        """Say what is being done."""
        if self._bar:
            self._bar.update(self._task, description=one_line(doing))
            self._draw(self._bar)

    def tick(self) -> None:
        """Move on, if the last update is old."""
        if self._bar and self.env.now() - self._drawn >= _EVERY:
            self._draw(self._bar)

    def _draw(self, bar: Progress) -> None:
        self._drawn = self.env.now()
        gone = self._drawn - self._started if self._started is not None else 0.0
        bar.update(self._task, completed=min(gone, self.seconds), left=f"{max(0.0, self.seconds - gone):.0f} s left")
        bar.refresh()
