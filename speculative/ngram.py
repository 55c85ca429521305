"""Drafting by the n-grams of the context itself: free, and strong where text recurs (edits, quotes, code)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from .drafting import NGRAM, Guess, Offer, Propose
from .model import common_prefix

_LOOKED_AT = 8
"""So many of the latest occurrences of an n-gram are compared."""
_WINDOW = 24
"""So far from where a quote broke off, in tokens, it is taken up again."""
_REPLACED = 3
"""Of so many tokens that agree before one that was replaced, one counts as agreeing."""


@dataclass(slots=True)
class NgramDrafter:
    """Guesses that what followed the last tokens before will follow them again (prompt lookup, Saxena 2023).

    The last `longest` to `shortest` tokens are looked up in the context, and what follows is quoted: of the latest
    occurrences the one that agrees with the context for longest, up to `reach` tokens. Where a quote broke off and they
    occur nowhere, a single token is enough to take it up again, since an edited text goes on like the text it edits;
    behind a token that was replaced in a long quote, none is needed.
    """

    longest: int = 4
    shortest: int = 2
    reach: int = 32
    _text: Sequence[int] = ()
    _indexed: list[int] = field(default_factory=list)
    _places: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    _quoted: int = -1
    _quoted_at: int = 0

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """A quote of the context; none if its end is new.

        The lead of a guess is the logarithm of how many tokens agree before it, the guesses before it included.
        """
        self._follow(context)
        place, agreement = self._match()
        if place < 0:
            return ()
        self._quoted, self._quoted_at = place, len(self._indexed)
        return (Offer(NGRAM, _guesses(self._indexed, place, agreement)),)

    def close(self) -> None:
        """Nothing to free."""

    def _match(self) -> tuple[int, int]:
        """Where to quote from, -1 for nowhere, and how many tokens before that agree with the end of the context."""
        text = self._indexed
        for size in range(min(self.longest, len(text) - 1), self.shortest - 1, -1):
            if places := self._places.get(tuple(text[-size:])):
                found = [(self._agreement(place, size), place) for place in places[-_LOOKED_AT:]]
                agreement, place = max(found)
                return place, agreement
        return self._taken_up_again()

    def _agreement(self, place: int, size: int) -> int:
        """How many tokens before `place` agree with the end of the context, given that `size` do.

        Where one differs, it may have been replaced: of those that agree before it, a share counts.
        """
        unchanged = self._agreeing(place, size)
        beyond = unchanged + 1
        if beyond >= min(self.reach, place):
            return unchanged
        return unchanged + (self._agreeing(place, beyond) - beyond) // _REPLACED

    def _agreeing(self, place: int, size: int) -> int:
        text, end, most = self._indexed, len(self._indexed), min(self.reach, place)
        while size < most and text[place - size - 1] == text[end - size - 1]:
            size += 1
        return size

    def _taken_up_again(self) -> tuple[int, int]:
        """Where the last quote goes on near where it would be by now, -1 if it does not, and the agreement."""
        text = self._indexed
        if self._quoted < 0 or not text:
            return -1, 0
        expected = self._quoted + len(text) - self._quoted_at
        window = range(max(1, expected - _WINDOW), min(len(text), expected + _WINDOW))
        places = [place for place in window if text[place - 1] == text[-1]]
        if places:
            place = min(places, key=lambda place: abs(place - expected))
            return place, self._agreement(place, 1)
        if expected < len(text) and (agreement := self._agreement(expected, 0)):
            return expected, agreement
        return -1, 0

    def _follow(self, context: Sequence[int]) -> None:
        """Bring the index to `context`: forget what was taken back, add what is new.

        An n-gram is filed under the place of the token that follows it, once there is such a token.
        """
        if context is not self._text or len(context) < len(self._indexed):
            self._forget_from(common_prefix(self._indexed, context))
            self._text, self._quoted = context, -1
        known = len(self._indexed)
        self._indexed.extend(context[known:])
        for place in range(known, len(context)):
            for gram in self._grams(place):
                self._places.setdefault(gram, []).append(place)

    def _forget_from(self, kept: int) -> None:
        for place in range(len(self._indexed) - 1, kept - 1, -1):
            for gram in self._grams(place):
                self._places[gram].pop()
        del self._indexed[kept:]

    def _grams(self, place: int) -> list[tuple[int, ...]]:
        sizes = range(self.shortest, min(self.longest, place) + 1)
        return [tuple(self._indexed[place - size : place]) for size in sizes]


def _guesses(text: Sequence[int], start: int, agreement: int) -> Iterator[Guess]:
    """The tokens from `start` on; a quote that reaches the end of the text goes on with itself."""
    period = len(text) - start
    return (Guess.certain(text[start + place % period], math.log2(agreement + place)) for place in count())
