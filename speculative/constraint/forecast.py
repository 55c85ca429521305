"""What a grammar leaves no choice about, as guesses: free, and right unless the target cuts or spaces it otherwise."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..drafting import Guess
from ..errors import IncompleteError
from ..model import common_prefix
from .json_style import WHITE, white_space
from .matcher import Matcher

END = 256
"""The vocabulary of the matcher is every byte, and behind them this, which ends a text."""
_WHITE = frozenset(WHITE)
_FARTHEST = 96
"""Bytes; more than any draft has tokens for."""
_FIRM, _OPEN = 1.0, 0.0
"""Leads of guesses: all of the text around is known, or what comes may be one token with the next letters."""


@dataclass(slots=True)
class Forecast:
    """Reads the text of an answer along, and says how it has to go on.

    The `matcher` reads bytes, so it says nothing of tokens: any cut of the text is allowed, and the usual one, by
    `tokenize`, is only the likeliest. `piece` gives the bytes of a token, `end` ends texts. White space that JSON
    leaves open, with `is_json`, is that of the text so far.
    """

    matcher: Matcher
    tokenize: Callable[[str], Sequence[int]]
    piece: Callable[[int], bytes]
    end: int
    is_json: bool
    _tokens: list[int] = field(default_factory=list)
    _text: bytes = b""
    _found: Sequence[Guess] | None = None
    """What has to come behind these tokens, once it is known."""

    def guesses(self, answer: Sequence[int]) -> Sequence[Guess]:
        """The tokens that have to come behind those of `answer`; costs what those cost that are new, and these."""
        try:
            if self._follow(answer) and self._found is None:
                self._found = tuple(self._cut(*self._coming()))
        except IncompleteError:  # too hard to follow: who guesses may give up
            self._found = None
        return self._found or ()

    def _follow(self, answer: Sequence[int]) -> bool:
        """Stand behind `answer`, or where it says what is no text of the grammar: then False."""
        kept = common_prefix(self._tokens, answer)
        if kept < len(self._tokens):
            back = b"".join(map(self.piece, self._tokens[kept:]))
            self.matcher.move(len(back), ())
            self._text, self._found = self._text[: len(self._text) - len(back)], None
            del self._tokens[kept:]
        if new := answer[kept:]:
            text = b"".join(map(self.piece, new))
            if not self.matcher.move(0, text):
                return False
            self._tokens += new
            self._text += text
            self._found = self._rest(new)
        return True

    def _rest(self, new: Sequence[int]) -> Sequence[Guess] | None:
        """What is known already of what has to come behind the `new` tokens: they may have been foreseen."""
        found = self._found or ()
        foreseen = [guess.token for guess in found[: len(new)]] == list(new)
        return (found[len(new) :] or None) if foreseen else None

    def _coming(self) -> tuple[bytes, bool]:
        """The text that has to come, and whether nothing but an end may stand behind it."""
        coming, ends = b"", False
        while len(coming) < _FARTHEST and not ends:
            forced, ends = self._forced(coming)
            if not forced or not self.matcher.move(0, forced):
                break
            coming += forced
        self.matcher.move(len(coming), ())
        return coming, ends

    def _forced(self, coming: bytes) -> tuple[bytes, bool]:
        """The byte behind what is `coming`, with white space before it in JSON, and whether it is an end instead.

        Nothing where there is a choice.
        """
        mask = self.matcher.mask()
        if np.count_nonzero(mask) > 1 + len(_WHITE):  # as within texts: that is known at once
            return b"", False
        allowed = np.flatnonzero(mask).tolist()
        solid = [byte for byte in allowed if byte not in _WHITE] if self.is_json else allowed
        if len(solid) != 1 or solid[0] == END:
            return b"", solid == [END]
        space = b"" if len(allowed) == 1 else white_space(self._text + coming, solid[0])
        return (b"" if space is None else space + bytes(solid)), False

    def _cut(self, text: bytes, ends: bool) -> Iterator[Guess]:
        """The usual tokens of `text`, and behind it the end if that comes.

        Only as far as they say it: a tokenizer may have no way to say the rest.
        """
        left = text
        for token in self.tokenize(text.decode(errors="ignore")) if text else ():
            piece = self.piece(token)
            if not piece or not left.startswith(piece):
                return
            left = left[len(piece) :]
            yield Guess(token, None, _FIRM if left or ends else _OPEN, is_forced=True)
        if ends and not left:
            yield Guess(self.end, None, _FIRM, is_forced=True)
