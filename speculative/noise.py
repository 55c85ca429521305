"""Random numbers that are a function of what they are for, so that nothing depends on the order of drawing.

Every (seed, index of the token in the answer, purpose, token id) has its own number. The same four always give the
same number, whatever was drafted, drawn or skipped in between; different ones are independent.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .distribution import TokenDistribution, Tokens

# SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)
_GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
MAX_SEED = 0xFFFFFFFE
"""The largest seed; llama.cpp's 0xFFFFFFFF (-1) means "choose one"."""


class Purpose(IntEnum):
    """What a number is drawn for. Numbers for different purposes are independent."""

    TARGET = 1
    DRAFT = 2
    ACCEPT = 3
    RESIDUAL = 4
    ANSWER = 5
    EXCLUDE = 6


def answer_seed(seed: int, answer: int) -> int:
    """The seed of a session's `answer`-th generation: the session's own for the first, a hash for the others."""
    return seed if answer == 0 else _key(seed, answer, Purpose.ANSWER) % (MAX_SEED + 1)


class Noise(Protocol):
    """Where chance comes from, for one answer; `index` counts the tokens of the answer."""

    def draw(self, distribution: TokenDistribution, index: int, purpose: Purpose) -> int:
        """A token from `distribution`."""

    def accept(self, probability: float, index: int, purpose: Purpose = Purpose.ACCEPT) -> bool:
        """True with the given probability, which may be above 1."""


@dataclass(frozen=True, slots=True)
class SeededNoise:
    """Noise as a function of a seed."""

    seed: int

    def draw(self, distribution: TokenDistribution, index: int, purpose: Purpose) -> int:
        """argmax(log p + g) with one Gumbel number g a token: an exact sample (the Gumbel-max trick).

        Two distributions that are drawn from at the same index for the same purpose mostly give the same token
        (Daliri, Musco, Suresh, "Coupling without Communication and Drafter-Invariant Speculative Decoding",
        arXiv 2408.07978). Where one token has all the probability, it is that token.
        """
        if len(distribution.tokens) == 1:
            return int(distribution.tokens[0])
        gumbel = -np.log(-np.log(_uniforms(self.seed, index, purpose, distribution.tokens)))
        return int(distribution.tokens[np.argmax(distribution.logprobs + gumbel)])

    def accept(self, probability: float, index: int, purpose: Purpose = Purpose.ACCEPT) -> bool:
        """Compare the probability with a number that is uniform on the open interval (0, 1)."""
        return float(_uniforms(self.seed, index, purpose, np.zeros(1, np.int32))[0]) < probability


def _uniforms(seed: int, index: int, purpose: Purpose, tokens: Tokens) -> NDArray[np.float64]:
    bits = np.uint64(_key(seed, index, purpose)) + (tokens.astype(np.uint64) + np.uint64(1)) * np.uint64(_GAMMA)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    # 52 bits and a half: never 0, never 1
    return ((bits >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _key(seed: int, index: int, purpose: Purpose) -> int:
    key = 0
    for part in (seed, index, purpose):
        key = _mix((key ^ part) + _GAMMA)
    return key


def _mix(bits: int) -> int:
    bits &= _MASK
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & _MASK
    return bits ^ (bits >> 31)
