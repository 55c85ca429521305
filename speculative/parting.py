"""Two texts that should be the same part somewhere: is it a near tie, or a bug?

Passes of different lengths may round differently, which can swap two nearly tied tokens, or move a token into or out
of the truncated set. A parting is a near tie when moving each logit by no more than the measured rounding can swap
the choice. Anything else is a bug.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .constraint.constraint import Constraint
from .constraint.law import Law
from .noise import Noise, Purpose
from .sampling import Logits, SamplerChain


@dataclass(frozen=True, slots=True)
class Choice:
    """A token chosen from `logits` after `history`, at `index` of its answer, by coupled verification.

    A `constraint` has settled what the answer says before it.
    """

    logits: Logits
    history: Sequence[int]
    index: int
    chain: SamplerChain
    noise: Noise
    constraint: Constraint | None = None

    def token(self, logits: Logits | None = None) -> int:
        """The chosen token; with `logits`, what would have been chosen from those."""
        law = Law(self.chain.of_answer(self.noise, len(self.history) - self.index), self.constraint)
        said = law.distribution(self.logits if logits is None else logits, self.history, ())
        return said.drawn(lambda each: self.noise.draw(each, self.index, Purpose.TARGET))


def first_difference(left: Sequence[int], right: Sequence[int]) -> int | None:
    """The place where two texts part; None where one is the beginning of the other."""
    return next((place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), None)


def swaps(choice: Choice, other: int, movement: float) -> bool:
    """Whether moving each logit by at most `movement` can turn the choice into `other`.

    Shown by construction: the worst movements are tried, by which `other` wins or enters the truncated set, or the
    chosen token leaves it.
    """
    return any(choice.token(moved) == other for moved in _worst(choice, other, movement))


def distance(choice: Choice, other: int, longest: float = 64.0) -> float:
    """The smallest movement of the logits that turns the choice into `other`, to within 1 %; infinite if none does."""
    if not swaps(choice, other, longest):
        return float("inf")
    low, high = 0.0, longest
    while high - low > 0.01 * high and high > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if swaps(choice, other, middle) else (middle, high)
    return high


_FOREMOST = 10
"""So many tokens can reach XTC's usual threshold."""


def _worst(choice: Choice, other: int, movement: float) -> Iterator[Logits]:
    chosen, still = choice.token(), np.zeros_like(choice.logits)
    # a token leaves the top-p set when all before it rise, and it falls with all behind it
    above = [np.where(choice.logits > choice.logits[token], movement, -movement) for token in (chosen, other)]
    for rest in (still - movement, still + movement, still, *above):
        yield _moved(choice.logits, rest, {other: movement, chosen: -movement})
    params = choice.chain.params
    if params.excludes or params.typical_p < 1:
        # a likelier token may be the one that is left out, and it may hang on a third one
        for rest in _one_by_one(choice.logits, movement):
            yield _moved(choice.logits, rest, {})
            yield _moved(choice.logits, rest, {other: movement, chosen: -movement})
            yield _moved(choice.logits, rest, {other: -movement, chosen: movement})


def _one_by_one(logits: Logits, movement: float) -> Iterator[Logits]:
    """Each of the likeliest tokens against all others."""
    for token in np.argsort(-logits, kind="stable")[:_FOREMOST]:
        for direction in (movement, -movement):
            rest = np.full_like(logits, -direction)
            rest[token] = direction
            yield rest


def _moved(logits: Logits, rest: Logits, apart: dict[int, float]) -> Logits:
    moved: Logits = logits + rest.astype(np.float32)
    for token, movement in apart.items():
        moved[token] = logits[token] + movement
    return moved
