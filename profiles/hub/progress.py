"""How far a download is."""

from dataclasses import dataclass
from typing import Protocol


class Progress(Protocol):
    """Who is told how far a download is."""

    def started(self, total: int, done: int) -> None:
        """`total` bytes are to be here at the end, `done` of them are already."""

    def advanced(self, count: int) -> None:
        """`count` bytes more have arrived; it is negative where a file has to start over."""


@dataclass(slots=True)
class Meter:
    """Tells `watch` about one file, of which `shown` bytes are told already."""

    watch: Progress
    shown: int

    def at(self, done: int) -> None:
        """`done` bytes of the file are here, whoever fetched them."""
        if done != self.shown:
            self.watch.advanced(done - self.shown)
            self.shown = done
