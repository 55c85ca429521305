"""One timed answer, and two of them compared."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..events import FinishReason
from .cases import Case

_LOOP = 48
"""So many tokens in a row that repeat what came before are a loop, if it came at least three times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one generation took, in seconds: to its first token and to its last, from an empty cache.

    `drafted` and `accepted` count the draft tokens of each round; `shown` is the speed-up that a user would have seen.
    """

    first_token: float
    seconds: float
    prompt_tokens: int
    tokens: tuple[int, ...]
    finish_reason: FinishReason
    drafted: tuple[int, ...]
    accepted: tuple[int, ...]
    shown: float | None = None

    @property
    def loops(self) -> bool:
        """Whether it ran into saying the same again and again."""
        return self.finish_reason != "stop" and loops(self.tokens)

    @property
    def per_second(self) -> float | None:
        """Tokens a second, after the first one."""
        generating = self.seconds - self.first_token
        return (len(self.tokens) - 1) / generating if generating > 0 else None

    def seconds_for(self, count: int) -> float:
        """The seconds to the `count`-th token, had all but the first taken the same time."""
        if len(self.tokens) < 2:
            return self.seconds
        return self.first_token + (self.seconds - self.first_token) * (count - 1) / (len(self.tokens) - 1)


@dataclass(frozen=True, slots=True)
class Pairing:
    """A case answered plain and by a variant, side by side; plain against plain calibrates."""

    case: Case
    variant: str
    plain: Answer
    other: Answer

    @property
    def speedup(self) -> float:
        """Plain seconds over the variant's, for the whole answer.

        Where the answers differ in length, both are taken as long as the shorter one.
        """
        count = min(len(self.plain.tokens), len(self.other.tokens))
        return self.plain.seconds_for(count) / self.other.seconds_for(count)

    @property
    def first_token(self) -> float:
        """How much longer the variant takes to its first token: 1 is no difference."""
        return self.other.first_token / self.plain.first_token

    @property
    def loops(self) -> bool:
        """Whether one of them loops: a loop is a gift to every drafter and says nothing about texts."""
        return self.plain.loops or self.other.loops

    @property
    def parted(self) -> bool:
        """Whether the texts are not the same."""
        return self.plain.tokens != self.other.tokens


def loops(tokens: Sequence[int]) -> bool:
    """Whether some stretch repeats itself, with a period of at most a third of `_LOOP` tokens."""
    return any(_repeats(tokens, period) for period in range(1, _LOOP // 3 + 1))


def _repeats(tokens: Sequence[int], period: int) -> bool:
    run = 0
    for before, token in zip(tokens, tokens[period:], strict=False):
        run = run + 1 if token == before else 0
        if run + period >= _LOOP:
            return True
    return False
