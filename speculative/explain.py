"""Why two texts part that should be the same: what rounding can do there is measured, on the texts themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .constraint.constraint import Constraint
from .model import LanguageModel, common_prefix
from .noise import SeededNoise
from .parting import Choice, distance, first_difference
from .rounding import difference, read_prompt, rows_by
from .sampling import Logits, SamplerChain

_LENGTHS = (2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 17)
_WINDOW, _REREAD = 64, 256
"""So many tokens before a parting tell how far logits move there; for that, so many are read by each length."""


@dataclass(frozen=True, slots=True)
class Parting:
    """Texts that go on differently at `place`, the index of the first token that differs.

    Moving each logit by `distance` swaps the two choices, and passes of different lengths move them by up to `rounding`
    in the text before. Both are in nats.
    """

    place: int
    distance: float
    rounding: float

    @property
    def is_near_tie(self) -> bool:
        """Whether rounding explains it; anything else is a bug."""
        return self.distance <= self.rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Explainer:
    """Looks at what a target, with a context of `n_ctx`, says in passes of up to `longest` tokens.

    A prompt that its cache holds is not read again: how it was cut into passes is part of the result. Others are read
    in pieces of `n_batch`, as a new session reads them. `chain` and `seed` are what the texts were drawn with, and the
    `constraint`, at the beginning of an answer, is what held them to a form.
    """

    target: LanguageModel
    chain: SamplerChain
    seed: int
    n_ctx: int
    n_batch: int
    longest: int
    constraint: Constraint | None = None

    def explain(self, prompt: Sequence[int], plain: Sequence[int], drafted: Sequence[int]) -> Parting | None:
        """Where and how the answers to `prompt` part; None where they do not, but one may be longer.

        Raises `Cancelled` or `DecodeError`.
        """
        place = first_difference(plain, drafted)
        if place is None:
            return None
        before = max(0, place - _REREAD)
        shared = [*prompt, *plain[:before]]
        first = self._read(prompt, plain[:before], cached=place > 0)
        expected = self._last_rows(shared, first, plain[before:], place - before, 1)
        if self.constraint is not None:
            self.constraint.settle(plain[:place])
        history, noise = [*prompt, *plain[:place]], SeededNoise(self.seed)
        choice = Choice(expected[-1], history, place, self.chain, noise, self.constraint)
        rounding = 0.0
        for length in self._lengths(len(prompt), place):
            rows = self._last_rows(shared, first, drafted[before:], place - before, length)
            rounding = max(rounding, difference(expected, rows))
        repeated = choice.token() == plain[place]  # else it was not rounding that made the plain text
        return Parting(place, distance(choice, drafted[place]) if repeated else float("inf"), rounding)

    def _read(self, prompt: Sequence[int], text: Sequence[int], cached: bool) -> list[Logits]:
        """Read as plain decoding does; the logits after all that, unless all of it is a prompt that is `cached`."""
        if cached and common_prefix(self.target.cached, prompt) == len(prompt):
            first = []
        else:
            first = [read_prompt(self.target, prompt, self.n_batch)]
        return rows_by(self.target, prompt, text, len(text), 1, window=1) or first

    def _lengths(self, n_prompt: int, place: int) -> Iterator[int]:
        """The lengths whose passes reach the place within the context."""
        for length in sorted({*_LENGTHS, self.longest}):
            if 1 < length <= self.longest and n_prompt + place + length <= self.n_ctx:
                yield length

    def _last_rows(
        self, shared: Sequence[int], first: list[Logits], text: Sequence[int], count: int, length: int
    ) -> list[Logits]:
        """The logits that the last tokens were chosen from, as far as the window reaches back.

        `first` holds those after what is `shared`, if they are known; `count` tokens of the text follow that.
        """
        padded = [*text, *[text[-1]] * length]
        rows = rows_by(self.target, shared, padded, count, length, window=_WINDOW)
        return rows if count >= _WINDOW else [*first, *rows]
