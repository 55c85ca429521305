"""Why two texts part that should be the same: what rounding can do there is measured, on the texts themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .model import LanguageModel
from .noise import SeededNoise
from .parting import Choice, distance, first_difference
from .rounding import covering, difference, read_prompt, rows_by
from .sampling import Logits, SamplerChain

_LENGTHS = (2, 3, 4, 5, 8, 9, 13, 17)
_WINDOW = 64
"""So many tokens before a parting tell how far logits move there."""


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
    """Looks at what a target says in passes of up to `longest` tokens; its cache, of `n_ctx` tokens, is read anew.

    Prompts are read in pieces of `n_batch`, as a session reads them. `chain` and `seed` are what the texts were drawn
    with.
    """

    target: LanguageModel
    chain: SamplerChain
    seed: int
    n_ctx: int
    n_batch: int
    longest: int

    def explain(self, prompt: Sequence[int], plain: Sequence[int], drafted: Sequence[int]) -> Parting | None:
        """Where and how the answers to `prompt` part; None where they do not, but one may be longer.

        Raises `Cancelled` or `DecodeError`.
        """
        place = first_difference(plain, drafted)
        if place is None:
            return None
        first = read_prompt(self.target, prompt, self.n_batch)
        expected = self._last_rows(prompt, first, plain, place, 1)
        choice = Choice(expected[-1], [*prompt, *plain[:place]], place, self.chain, SeededNoise(self.seed))
        rounding = 0.0
        for length in self._lengths(len(prompt), place):
            rounding = max(rounding, difference(expected, self._last_rows(prompt, first, drafted, place, length)))
        repeated = choice.token() == plain[place]  # else it was not rounding that made the plain text
        return Parting(place, distance(choice, drafted[place]) if repeated else float("inf"), rounding)

    def _lengths(self, n_prompt: int, place: int) -> Iterator[int]:
        """The lengths whose passes reach the place within the context."""
        return (each for each in _LENGTHS if each <= self.longest and n_prompt + covering(place, each) <= self.n_ctx)

    def _last_rows(
        self, prompt: Sequence[int], first: Logits, text: Sequence[int], place: int, length: int
    ) -> list[Logits]:
        """The logits that the last tokens up to `place` were chosen from, as far as the window reaches back."""
        padded = [*text, *[text[-1]] * length]
        rows = rows_by(self.target, prompt, padded, place, length, window=_WINDOW)
        return rows if place >= _WINDOW else [first, *rows]
