"""Saved states of a text that is read, each of where its first tokens end."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

State = NDArray[np.uint8]
"""Bytes that mean something to llama.cpp."""

_FEWEST, _MOST = 2, 16

Save = Callable[[State | None], State | None]
"""Saves a state, in the buffer that is given if it fits; None where that cannot be done."""


@dataclass(slots=True)
class Checkpoints:
    """States by the number of tokens that they are of, and beside them one of where guesses begin.

    All are of one size, and take at most `room` bytes, or what two of them take. Where there are too many, those far
    from the end grow sparse: what is taken back is mostly near it.
    """

    room: int
    _lasting: dict[int, State] = field(default_factory=dict)
    _guessing: tuple[int, State] | None = None

    def last(self, length: int) -> tuple[int, State] | None:
        """The state of the most tokens, up to `length`, and how many they are."""
        places = [place for place in self._lasting if place <= length]
        best = max(places, default=0)
        if self._guessing is not None and best <= self._guessing[0] <= length:
            return self._guessing
        return (best, self._lasting[best]) if places else None

    def cut(self, length: int) -> None:
        """Forget the states of more than `length` tokens."""
        for place in [place for place in self._lasting if place > length]:
            del self._lasting[place]
        if self._guessing is not None and self._guessing[0] > length:
            self._guessing = None

    def keep(self, length: int, save: Save) -> None:
        """Save the state of the first `length` tokens for long."""
        if length in self._lasting:
            return
        spare = self._lasting.pop(self._least_missed(length)) if self._is_full() else None
        if (state := save(spare)) is not None:
            self._lasting[length] = state

    def guess(self, length: int, save: Save) -> None:
        """Save the state of the first `length` tokens until guesses begin somewhere else."""
        if length in self._lasting or (self._guessing is not None and self._guessing[0] == length):
            return
        state = save(self._guessing[1] if self._guessing is not None else None)
        self._guessing = None if state is None else (length, state)

    def _is_full(self) -> bool:
        count = len(self._lasting)
        return count >= _MOST or (count >= _FEWEST and (count + 1) * len(self._lasting[max(self._lasting)]) > self.room)

    def _least_missed(self, end: int) -> int:
        """The place whose loss leaves the shortest gap, for its distance from `end`."""
        places = sorted(self._lasting)
        gaps = {
            place: (after - before) / (end - place)
            for before, place, after in zip([0, *places], places, [*places[1:], end], strict=False)
        }
        return min(gaps, key=lambda place: gaps[place])
