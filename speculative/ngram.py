"""Drafting by the n-grams of the context itself: free, and strong where text recurs (edits, quotes, code)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .drafting import Guess, Propose
from .model import common_prefix


@dataclass(slots=True)
class NgramDrafter:
    """Guesses that what followed the last tokens before will follow them again (prompt lookup, Saxena 2023).

    The longest suffix of the context, of `longest` down to `shortest` tokens, that occurred before is looked up, and
    what follows its latest occurrence is quoted.
    """

    longest: int = 4
    shortest: int = 2
    _indexed: list[int] = field(default_factory=list)
    _places: dict[tuple[int, ...], list[int]] = field(default_factory=dict)

    def guesses(self, context: Sequence[int], propose: Propose) -> Iterator[Guess]:
        """Quote the context; no guess if its end is new. The lead is the length of the match."""
        self._follow(context)
        for size in range(min(self.longest, len(context) - 1), self.shortest - 1, -1):
            if places := self._places.get(tuple(context[-size:])):
                return (Guess.certain(token, float(size)) for token in quote(context, places[-1]))
        return iter(())

    def behind(self, context: Sequence[int]) -> int:
        """Reading costs it nothing."""
        return 0

    def close(self) -> None:
        """Nothing to free."""

    def _follow(self, context: Sequence[int]) -> None:
        """Bring the index to `context`: forget what was taken back, add what is new.

        An n-gram is filed under the place of the token that follows it, once there is such a token.
        """
        kept = common_prefix(self._indexed, context)
        for place in range(len(self._indexed) - 1, kept - 1, -1):
            for gram in self._grams(self._indexed, place):
                self._places[gram].pop()
        del self._indexed[kept:]
        self._indexed.extend(context[kept:])
        for place in range(kept, len(context)):
            for gram in self._grams(self._indexed, place):
                self._places.setdefault(gram, []).append(place)

    def _grams(self, tokens: Sequence[int], place: int) -> list[tuple[int, ...]]:
        sizes = range(self.shortest, min(self.longest, place) + 1)
        return [tuple(tokens[place - size : place]) for size in sizes]


def quote(context: Sequence[int], start: int) -> Iterator[int]:
    """The tokens from `start` on; a quote that reaches the end of the context goes on with itself."""
    period = context[start:]
    while True:
        yield from period
