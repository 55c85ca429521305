"""How likely the target found each token that was said, and what else it might have said."""

from dataclasses import dataclass

import numpy as np

from .distribution import TokenDistribution
from .sampling import Logits, largest


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A token, and the natural logarithms of its probability.

    `logprob` is that under the target's distribution, the softmax of its logits; `sampled` that under what is left of
    it after penalties, truncation and temperature, negative infinity for what is cut off.
    """

    token: int
    logprob: float
    sampled: float


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A token of an answer, and the `best` at its place, the likeliest first.

    It may be part of the reasoning before the answer; None while that is not known.
    """

    chosen: TokenLogprob
    best: tuple[TokenLogprob, ...]
    is_reasoning: bool | None = False


def scored(logits: Logits, distribution: TokenDistribution, token: int, count: int) -> ScoredToken:
    """The token that was drawn from a distribution made from `logits`, of shape (vocabulary,), with the `count` best.

    Of equally likely ones the lowest ids are the best.
    """
    scores = logits.astype(np.float64)
    top = scores.max()
    total = top + np.log(np.exp(scores - top).sum())
    best = largest(logits, min(count, len(logits))) if count else np.zeros(0, np.int32)
    best = best[np.argsort(-logits[best], kind="stable")]
    sampled = dict(zip(distribution.tokens.tolist(), distribution.logprobs.tolist(), strict=True))

    def of(each: int) -> TokenLogprob:
        return TokenLogprob(each, float(scores[each] - total), sampled.get(each, -np.inf))

    return ScoredToken(of(token), tuple(map(of, best.tolist())))
