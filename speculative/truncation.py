"""Truncations that do not keep just the most likely tokens: typical-p, top-n-sigma and XTC.

As llama.cpp's samplers of these names (src/llama-sampler.cpp). All take `tokens` with their `logits`, of shape (n,),
n >= 1, and return those that are kept.
"""

import numpy as np
from numpy.typing import NDArray

from .distribution import Tokens

Logits = NDArray[np.float32]


def sigma_floor(logits: Logits, n: float) -> float:
    """The logit that is `n` standard deviations of all of them below the largest; impossible tokens do not count.

    Tang et al., "Top-nσ: Not All Logits Are You Need", arXiv 2411.07641.
    """
    best = float(logits.max())
    possible = logits if logits.min() > -np.inf else logits[logits > -np.inf]
    return best - n * float(possible.std(dtype=np.float64)) if len(possible) else best


def apply_floor(tokens: Tokens, logits: Logits, floor: float) -> tuple[Tokens, Logits]:
    """The tokens whose logits are at least `floor`, the likeliest among them at any rate."""
    kept = logits >= min(np.float32(floor), logits.max())
    return tokens[kept], logits[kept]


def apply_typical(tokens: Tokens, logits: Logits, p: float) -> tuple[Tokens, Logits]:
    """The tokens whose surprise is nearest to the expected one, until they together have more than probability p.

    Meister et al., "Locally Typical Sampling", arXiv 2202.00666.
    """
    if p >= 1:
        return tokens, logits
    tokens, logits = _possible(tokens, logits)
    surprise = -_logprobs(logits)
    mass = np.exp(-surprise)
    order = np.argsort(np.abs(surprise - float((mass * surprise).sum())), kind="stable")
    count = int(np.searchsorted(np.cumsum(mass[order]), p, side="right")) + 1
    kept = np.sort(order[:count])
    return tokens[kept], logits[kept]


def apply_xtc(tokens: Tokens, logits: Logits, threshold: float) -> tuple[Tokens, Logits]:
    """All tokens but those with at least probability `threshold`, of which the least likely is kept as well.

    "Exclude top choices", by pi6am: the chance with which that happens is the caller's business.
    """
    tokens, logits = _possible(tokens, logits)
    order = np.argsort(-logits, kind="stable")
    dropped = int((np.exp(_logprobs(logits)) >= threshold).sum()) - 1
    kept = np.sort(order[max(0, dropped) :])
    return tokens[kept], logits[kept]


def _possible(tokens: Tokens, logits: Logits) -> tuple[Tokens, Logits]:
    kept = logits > -np.inf
    return tokens[kept], logits[kept]


def _logprobs(logits: Logits) -> NDArray[np.float64]:
    scores = logits.astype(np.float64)
    scores -= scores.max()
    found: NDArray[np.float64] = scores - np.log(np.exp(scores).sum())
    return found
