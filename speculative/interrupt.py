"""A request to stop, shared by everything that can take long."""

from dataclasses import dataclass

from .errors import Cancelled


@dataclass(slots=True)
class Interrupt:
    """Set from a signal handler, looked at between passes and, on the CPU, inside them."""

    requested: bool = False

    def request(self) -> None:
        """Ask what is running to stop."""
        self.requested = True

    def clear(self) -> None:
        """Allow new work."""
        self.requested = False

    def check(self) -> None:
        """Raise `Cancelled` if it was requested."""
        if self.requested:
            raise Cancelled
