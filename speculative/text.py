"""Stop strings: nothing is shown that more text could still change."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class TextStream:
    """Lets text through, and ends before the first of the `stop` strings.

    Text that may be the beginning of a stop string waits until it is clear. `text` is all that was let through.
    """

    stop: Sequence[str] = ()
    text: str = ""
    stopped: bool = False
    _held: str = ""

    def push(self, text: str) -> str:
        """The text that is certain now that `text` has come; sets `stopped` when a stop string is complete."""
        self._held += text
        places = [place for place in (self._held.find(stop) for stop in self.stop) if place >= 0]
        if places:
            self.stopped = True
            return self._release(min(places))
        return self._release(len(self._held) - self._undecided())

    def finish(self) -> str:
        """What was held back and turned out to be text."""
        return "" if self.stopped else self._release(len(self._held))

    def _release(self, count: int) -> str:
        released, self._held = self._held[:count], self._held[count:]
        self.text += released
        return released

    def _undecided(self) -> int:
        """The length of the longest end of the held text that a stop string begins with."""
        return max((overlap(self._held, stop) for stop in self.stop), default=0)


def overlap(text: str, stop: str) -> int:
    """The length of the longest proper beginning of `stop` that `text` ends with."""
    longest = min(len(text), len(stop) - 1)
    return next((size for size in range(longest, 0, -1) if text.endswith(stop[:size])), 0)
