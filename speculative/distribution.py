"""A probability distribution over tokens, possibly truncated to a few of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int32]
LogProbs = NDArray[np.float64]


class Drawable(Protocol):
    """What a token is drawn from. Parts of it may be computed when they are asked for, so it is used at once."""

    def drawn(self, draw: "Callable[[TokenDistribution], int]") -> int:
        """A token of it; `draw` draws from any distribution, always with the same noise or always with new one."""

    def exactly(self) -> "TokenDistribution":
        """All of it."""


@dataclass(frozen=True, slots=True)
class TokenDistribution:
    """Tokens with their natural log-probabilities; every token that is not listed has probability 0.

    `tokens` and `logprobs` have the same shape (n,), n >= 1; the probabilities add up to 1.
    """

    tokens: Tokens
    logprobs: LogProbs

    @classmethod
    def from_logits(cls, tokens: Tokens, logits: NDArray[np.floating]) -> "TokenDistribution":
        """The softmax of `logits`, which belong to `tokens`."""
        scores = logits.astype(np.float64)
        scores -= scores.max()
        return cls(tokens, scores - np.log(np.exp(scores).sum()))

    @classmethod
    def point(cls, token: int) -> "TokenDistribution":
        """All the probability on one token."""
        return cls(np.array([token], np.int32), np.zeros(1))

    def drawn(self, draw: "Callable[[TokenDistribution], int]") -> int:
        """See `Drawable`."""
        return draw(self)

    def exactly(self) -> "TokenDistribution":
        """See `Drawable`."""
        return self

    def probability(self, token: int) -> float:
        """The probability of `token`, 0 if it is not listed."""
        [places] = np.nonzero(self.tokens == token)
        return float(np.exp(self.logprobs[places[0]])) if len(places) else 0.0

    def residual(self, other: "TokenDistribution") -> "TokenDistribution":
        """norm(max(0, self - other)): what is left to draw from when a draft token was rejected.

        Leviathan et al., "Fast Inference from Transformers via Speculative Decoding", arXiv 2211.17192. Where
        nothing is left (both are equal, so that no token can have been rejected but by rounding), it is `self`.
        """
        mass = np.exp(self.logprobs)
        _, mine, theirs = np.intersect1d(self.tokens, other.tokens, assume_unique=True, return_indices=True)
        mass[mine] -= np.exp(other.logprobs[theirs])
        kept = mass > 0
        if not kept.any():
            return self
        logprobs = np.log(mass[kept])
        return TokenDistribution.from_logits(self.tokens[kept], logprobs)
