"""Listeners who stop an answer, or do not wait for its end, at a place that can be found again."""

from collections.abc import Iterator
from dataclasses import dataclass

from specchat.speculative.errors import Cancelled
from specchat.speculative.events import Event, RoundFinished

from .case import Turn
from .said import Asked, Said


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


def listened(asked: Asked, events: Iterator[Event], turn: Turn, interrupt: Countdown) -> Said:
    """An answer, as far as the turn lets it come."""
    said, place = Said(asked=asked), turn.place
    interrupt.looks = place if turn.ending == "looks" else None
    for event in events:
        said.hear(event)
        place -= isinstance(event, RoundFinished) or turn.ending != "rounds"
        if place == 0 and turn.ending == "rounds" and isinstance(event, RoundFinished):
            interrupt.request()
        if place == 0 and turn.ending in ("dropped", "left"):
            break
    interrupt.looks = None
    return said
