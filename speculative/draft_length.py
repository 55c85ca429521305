"""How many tokens to draft in a round."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from .drafting import Draft, Guess
from .rounds import Round


class DraftLength(Protocol):
    """Decides, guess by guess, how long a draft is worth its cost."""

    def take(self, guesses: Iterator[Guess], behind: int, most: int) -> Draft:
        """As many guesses as are worth it, at most `most`; the empty draft decodes plain.

        The drafter has to read `behind` tokens before its first guess.
        """

    def observe(self, step: Round) -> None:
        """Learn from a finished round."""


@dataclass(frozen=True, slots=True)
class FixedLength:
    """The same number in every round."""

    length: int

    def take(self, guesses: Iterator[Guess], behind: int, most: int) -> Draft:
        """Always `length` guesses, as far as there are."""
        return Draft(tuple(islice(guesses, max(0, min(self.length, most)))))

    def observe(self, step: Round) -> None:
        """Nothing to learn."""
