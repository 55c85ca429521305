"""A grammar that follows an answer: what it allows behind the tokens so far, in a block of guesses as well."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..drafting import Guess
from ..errors import IncompleteError, UsageError
from .forecast import Forecast
from .gate import Gate, Threshold
from .matcher import Mask, Matcher


@dataclass(frozen=True, slots=True)
class _Place:
    """Behind a token: the grammar reads the tokens from `begin` on, and none where that is None.

    `threshold` is None once the answer has begun.
    """

    threshold: Threshold | None
    begin: int | None
    ended: bool = False


@dataclass(slots=True)
class Constraint:
    """What may come next, as a function of the answer's tokens so far: of those that are settled, and a `path` behind.

    The state moves along with them, forwards and back, at the cost of the tokens that are new. Where reasoning comes
    first, its tokens are free, save for those that end texts: `threshold` is the place before the first one, and `gate`
    knows the others. Behind a token that ended the text all is allowed, since nothing there was ever said. What the
    form leaves no choice about is guessed by the `forecast`.
    """

    matcher: Matcher
    is_end: Callable[[int], bool]
    gate: Gate | None = None
    threshold: Threshold | None = None
    forecast: Forecast | None = None
    _tokens: list[int] = field(default_factory=list)
    _places: list[_Place] = field(init=False)
    """One more than tokens."""
    _settled: int = 0
    _read: tuple[int, int] = (0, 0)
    """The matcher has read the tokens from the one to the other."""

    def __post_init__(self) -> None:
        self._places = [_Place(None, 0) if self.threshold is None else _outside(self.threshold, 0)]

    def begin(self, tokens: Sequence[int]) -> None:
        """Settle the beginning of an answer that goes on. Raises `UsageError` where it is not allowed."""
        try:
            self.settle(tokens)
        except IncompleteError as error:
            message = "The answer so far does not have the form that is asked for, so it cannot go on in it."
            raise UsageError(message, "Ask again, or leave the form out.") from error

    def settle(self, tokens: Sequence[int]) -> None:
        """Make `tokens`, which are allowed, part of the answer for good."""
        self._seek(tokens)
        self._settled = len(self._tokens)

    def ended(self, path: Sequence[int]) -> bool:
        """Whether the text is over behind `path`."""
        self._seek(path)
        return self._places[-1].ended

    def allows(self, path: Sequence[int], token: int) -> bool:
        """Whether `token` may follow the settled tokens and `path`."""
        self._seek(path)
        return self._next(token) is not None

    def mask(self, path: Sequence[int]) -> Mask:
        """The same for all tokens. Before an answer has begun that takes time, but is hardly ever needed."""
        self._seek(path)
        mask = self.matcher.mask()
        if self._places[-1].threshold is None:
            return mask
        return np.array([self._next(token) is not None for token in range(len(mask))])

    def within(self, guesses: Iterator[Guess]) -> Iterator[Guess]:
        """The guesses up to the first that may not come, or that ends the text."""
        path: list[int] = []
        for guess in guesses:
            if not self.allows(path, guess.token):
                return
            yield guess
            if self.is_end(guess.token):
                return
            path.append(guess.token)

    def forced(self, path: Sequence[int]) -> Iterator[Guess]:
        """What has to come behind the settled tokens and `path`, found out when the first is asked for."""
        self._seek(path)
        place = self._places[-1]
        if self.forecast is not None and place.threshold is None and not place.ended:
            yield from self.forecast.guesses(self._tokens[place.begin :])

    @property
    def complete(self) -> bool:
        """Whether the settled tokens are all that there can be: they ended, or nothing but an end may come."""
        self._seek(())
        place = self._places[-1]
        if place.ended or place.threshold is not None:
            return place.ended
        allowed = np.flatnonzero(self.matcher.mask())
        return len(allowed) > 0 and all(map(self.is_end, allowed.tolist()))

    def _seek(self, path: Sequence[int]) -> None:
        """Stand behind the settled tokens and `path`."""
        known = self._tokens[self._settled :]
        agreeing = (place for place, (a, b) in enumerate(zip(known, path, strict=False)) if a != b)
        kept = next(agreeing, min(len(known), len(path)))
        self._cut(self._settled + kept)
        for token in path[kept:]:
            self._push(token)
        self._align()

    def _cut(self, length: int) -> None:
        del self._tokens[length:], self._places[length + 1 :]
        begin, end = self._read
        if end > length:
            self._read = begin, max(begin, length)
            self.matcher.move(end - self._read[1], ())

    def _push(self, token: int) -> None:
        place = self._places[-1]
        reads_on = place.threshold is None and not self.is_end(token)  # the matcher will say whether it may
        if not reads_on:
            self._align()
            following = self._next(token)
            if following is None:
                raise _not_allowed()
            place = following
        self._tokens.append(token)
        self._places.append(place)

    def _align(self) -> None:
        """Let the matcher read what the last place wants of it."""
        place, (begin, end) = self._places[-1], self._read
        if place.ended:
            return
        if place.begin != begin:
            self.matcher.move(end - begin, ())
            begin = end = place.begin or 0
        if place.begin is not None and end < len(self._tokens):
            if not self.matcher.move(0, self._tokens[end:]):
                raise _not_allowed()
            end = len(self._tokens)
        self._read = begin, end

    def _next(self, token: int) -> _Place | None:
        """The place behind `token`, None where that may not come; the matcher is aligned."""
        place = self._places[-1]
        if place.ended:
            return place
        reads = place.begin is not None and self.matcher.allows(token)
        if self.is_end(token):
            return _Place(None, place.begin, ended=True) if reads else None
        if place.threshold is None or self.gate is None:
            return place if reads else None
        if reads:
            return _Place(self.gate.may_continue(place.threshold, token), place.begin)
        outside = self.gate.outside(place.threshold, token)
        return None if outside is None else _outside(outside, len(self._tokens) + 1)


def _outside(threshold: Threshold, length: int) -> _Place:
    """The place behind so many tokens that the grammar does not read."""
    match threshold.phase:
        case "answer":
            return _Place(None, length)
        case "between":
            return _Place(threshold, length)
        case "undecided" if length == 0:
            return _Place(threshold, 0)
        case _:
            return _Place(threshold, None)


def _not_allowed() -> IncompleteError:
    return IncompleteError("A token has come that the grammar does not allow.")
