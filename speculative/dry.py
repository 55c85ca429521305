"""DRY, "don't repeat yourself": tokens that would go on with a repetition become the less likely the longer it is.

llama.cpp's sampler of that name (llama_sampler_dry_apply in src/llama-sampler.cpp), without its state: all that it
looks at is the history.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .distribution import Tokens

Breakers = Mapping[int, tuple[tuple[int, ...], ...]]
"""What no repetition goes across: by its first token, all that may stand behind that one."""

BreakersOf = Callable[[Sequence[str]], Breakers]
"""The breakers that texts are in a vocabulary."""

_LOG_OF_LARGEST = 88.7228391
"""Of the largest float32: longer repetitions weigh no more."""
_WEIGHTIEST = 1e24
"""No token that weighs this is drawn, and float32 can hold it divided by the smallest temperature."""


def no_breakers(texts: Sequence[str]) -> Breakers:
    """Where there is no vocabulary to spell them."""
    return {}


@dataclass(frozen=True, slots=True)
class Dry:
    """What a repetition costs: `multiplier` times `base` to the power of its length beyond `allowed_length`.

    Repetitions are looked for among the `last_n` latest tokens; -1 is all.
    """

    multiplier: float
    base: float
    allowed_length: int
    last_n: int
    breakers: Breakers

    def applied(self, logits: NDArray[np.float32], history: Sequence[int]) -> NDArray[np.float32]:
        """The logits of shape (vocabulary,) after `history`, those of tokens that repeat lowered in a copy.

        Tokens that it does not have are left out.
        """
        tokens, lengths = self.repeats(history)
        known = np.searchsorted(tokens, len(logits))
        tokens, lengths = tokens[:known], lengths[:known]
        if not len(tokens):
            return logits
        exponents = np.minimum(lengths - self.allowed_length, self._largest_exponent or len(history))
        with np.errstate(over="ignore"):
            penalties = np.clip(self.multiplier * np.power(self.base, exponents), -_WEIGHTIEST, _WEIGHTIEST)
        lowered = logits.copy()
        lowered[tokens] -= penalties.astype(np.float32)
        return lowered

    def repeats(self, history: Sequence[int]) -> tuple[Tokens, NDArray[np.int64]]:
        """Tokens that would go on with a repetition of the end of `history`, and the lengths of the longest ones."""
        window = np.asarray(history if self.last_n < 0 else history[max(0, len(history) - self.last_n) :], np.int32)
        limit = self._reach(window.tolist()) if len(window) > self.allowed_length else -1
        if limit < self.allowed_length:
            return np.zeros(0, np.int32), np.zeros(0, np.int64)
        backwards = window[::-1]
        lengths = _suffix_lengths(backwards, min(limit, self.allowed_length + (self._largest_exponent or limit)))
        [long] = np.nonzero(lengths >= self.allowed_length)
        tokens, which = np.unique(backwards[long], return_inverse=True)
        longest = np.zeros(len(tokens), np.int64)
        np.maximum.at(longest, which, lengths[long])
        free = np.array([() not in self.breakers.get(token, ()) for token in tokens.tolist()], bool)
        return tokens[free], longest[free]

    @property
    def _largest_exponent(self) -> int:
        """0 where there is none."""
        return int(_LOG_OF_LARGEST / math.log(self.base)) if self.base > 1.000001 else 0

    def _reach(self, window: Sequence[int]) -> int:
        """How many tokens there are behind the last breaker."""
        for place in range(len(window) - 1, -1, -1) if self.breakers else ():
            behind = len(window) - 1 - place
            tails = self.breakers.get(window[place], ())
            fitting = [len(tail) for tail in tails if tuple(window[place + 1 : place + 1 + len(tail)]) == tail]
            if fitting:
                return behind - max(fitting)
        return len(window)


def _suffix_lengths(backwards: Tokens, most: int) -> NDArray[np.int64]:
    """How many tokens before each place, but the one behind the text, are those at its end; at most `most`.

    `backwards` is the text from its end. Place k is k + 1 tokens before the end; the last one has nothing before it.
    """
    lengths = np.zeros(max(0, len(backwards) - 1), np.int64)
    alike = np.arange(1, len(backwards))
    for length in range(most):
        alike = alike[alike < len(backwards) - length]
        alike = alike[backwards[alike + length] == backwards[length]]
        if not len(alike):
            break
        lengths[alike - 1] = length + 1
    return lengths
