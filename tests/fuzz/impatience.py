"""A request to stop that comes by itself, at a place that can be found again."""

from dataclasses import dataclass

from specchat.speculative.errors import Cancelled


@dataclass(slots=True)
class Countdown:
    """An `Interrupt` that is requested once it was looked at so many times; llama.cpp looks between two operations."""

    looks: int | None = None
    _requested: bool = False

    @property
    def requested(self) -> bool:
        """Whether it is time to stop."""
        if self.looks is not None:
            self.looks -= 1
            if self.looks <= 0:
                self.looks, self._requested = None, True
        return self._requested

    def request(self) -> None:
        """Stop what is running."""
        self._requested = True

    def clear(self) -> None:
        """Allow new work."""
        self._requested = False

    def check(self) -> None:
        """Raise `Cancelled` if it was requested."""
        if self.requested:
            raise Cancelled
