"""From logits and history to the distribution that the next token is drawn from.

llama.cpp's samplers, in its order: penalties, top-k, top-p, min-p, temperature last (src/llama-sampler.cpp).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .distribution import TokenDistribution, Tokens
from .errors import UsageError

Logits = NDArray[np.float32]

_SMALLEST, _LARGEST = 1e-12, 1e12
"""Of what logits are divided by, multiplied with or lowered by: whatever is combined, float32 can hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """How to choose a token; the defaults are llama.cpp's (common/common.h)."""

    temperature: float = 0.8
    """0 or less chooses the most likely token."""
    top_k: int = 40
    """Keep the k most likely tokens; 0 or less keeps all."""
    top_p: float = 0.95
    """Keep the most likely tokens that together reach this probability; 1 keeps all."""
    min_p: float = 0.05
    """Keep the tokens at least this likely, relative to the most likely one; 0 keeps all."""
    repeat_penalty: float = 1.0
    """Divide positive logits of recent tokens by this, and multiply negative ones."""
    presence_penalty: float = 0.0
    """Subtract this from the logits of recent tokens."""
    frequency_penalty: float = 0.0
    """Subtract this from the logits of recent tokens, for each time that they occur."""
    penalty_last_n: int = 64
    """How many tokens are recent, prompt and answer alike; 0 none, -1 all."""

    def __post_init__(self) -> None:
        for name, value in (("top_p", self.top_p), ("min_p", self.min_p)):
            if not 0 <= value <= 1:
                raise UsageError(f"{name} is {value:g}, but it is a probability.", "Give a number from 0 to 1.")
        for name in ("temperature", "repeat_penalty", "presence_penalty", "frequency_penalty"):
            if not abs(value := getattr(self, name)) <= _LARGEST:
                raise UsageError(f"{name} is {value:g}, which is out of range.", "Give an ordinary number such as 0.8.")
        if 0 < self.temperature < _SMALLEST:
            hint = "Give 0 to choose the most likely token."
            raise UsageError(f"temperature is {self.temperature:g}, which is too small to divide by.", hint)
        if self.repeat_penalty < _SMALLEST:
            hint = "Give a number such as 1.1; 1 switches it off."
            raise UsageError(f"repeat_penalty is {self.repeat_penalty:g}, which is too small to divide by.", hint)
        if self.penalty_last_n < -1:
            raise UsageError(f"penalty_last_n is {self.penalty_last_n}.", "Give 0 for none, -1 for all, or a count.")

    @property
    def penalizes(self) -> bool:
        """Whether any penalty is on."""
        on = self.repeat_penalty != 1 or self.presence_penalty != 0 or self.frequency_penalty != 0
        return on and self.penalty_last_n != 0


@dataclass(frozen=True, slots=True)
class SamplerChain:
    """All samplers of `params`, in order."""

    params: SamplingParams

    def distribution(self, logits: Logits, history: Sequence[int]) -> TokenDistribution:
        """The distribution of the token that follows `history`.

        `logits`, of shape (vocabulary,), are what the model says after `history`, and are left as they are.
        `history` is the whole context, prompt included; penalties look at the end of it.
        """
        params = self.params
        if params.penalizes:
            logits = apply_penalties(logits, recent(history, params.penalty_last_n), params)
        if params.temperature <= 0:
            return TokenDistribution.point(int(np.argmax(logits)))  # equal logits: the lowest id
        tokens, kept = apply_top_k(logits, params.top_k)
        mass = total_mass(kept) if params.top_p < 1 else 0.0
        # min-p before top-p: both keep the most likely ones, so the order is free, and less is left to sort
        tokens, kept = apply_min_p(tokens, kept, params.min_p)
        tokens, kept = apply_top_p(tokens, kept, params.top_p, mass)
        return TokenDistribution.from_logits(tokens, kept / np.float32(params.temperature))

    def lead(self, logits: Logits, distribution: TokenDistribution, token: int) -> float:
        """How far the logit of `token` is above the best other one, in nats; `distribution` was made from `logits`.

        Where it still holds others, it holds the best of them, and nothing has to be searched.
        """
        if len(distribution.tokens) == 1:
            return lead(logits, token)
        others = distribution.logprobs[distribution.tokens != token].max()
        [own] = distribution.logprobs[distribution.tokens == token]
        return float(own - others) * self.params.temperature


def recent(history: Sequence[int], last_n: int) -> Sequence[int]:
    """The tokens that penalties look at."""
    return history if last_n < 0 else history[max(0, len(history) - last_n) :]


def apply_penalties(logits: Logits, window: Sequence[int], params: SamplingParams) -> Logits:
    """A copy of `logits` with the repeat, frequency and presence penalties of the tokens in `window`."""
    tokens, counts = np.unique(np.asarray(window, np.int64), return_counts=True)
    penalized = logits.copy()
    values = logits[tokens]
    repeat = np.float32(params.repeat_penalty)
    values = np.where(values <= 0, values * repeat, values / repeat)
    penalized[tokens] = values - (
        counts.astype(np.float32) * np.float32(params.frequency_penalty) + np.float32(params.presence_penalty)
    )
    return penalized


def apply_top_k(logits: Logits, k: int) -> tuple[Tokens, Logits]:
    """The k largest logits with their tokens; of equal ones the lowest ids."""
    tokens = largest(logits, len(logits) if k <= 0 else min(k, len(logits)))
    return tokens, logits[tokens]


def total_mass(logits: Logits) -> float:
    """The sum of exp(logit), relative to that of the largest."""
    return float(np.exp(logits - logits.max()).sum())


def apply_top_p(tokens: Tokens, logits: Logits, p: float, total: float) -> tuple[Tokens, Logits]:
    """The fewest of the most likely tokens whose probabilities add up to at least p, most likely first.

    `total` is the `total_mass` of the set that p is a share of, of which the logits are the largest.
    """
    if p >= 1:
        return tokens, logits
    mass = np.exp(logits - logits.max()) / np.float32(total)
    count = 256  # a sort of everything is dear, and hardly ever needed
    while True:
        places = largest(mass, min(count, len(mass)))
        places = places[np.argsort(-mass[places], kind="stable")]
        cumulative = np.cumsum(mass[places])
        if cumulative[-1] >= p or len(places) == len(mass):
            break
        count *= 16
    kept = places[: int(np.searchsorted(cumulative, np.float32(p))) + 1]
    return tokens[kept], logits[kept]


def apply_min_p(tokens: Tokens, logits: Logits, p: float) -> tuple[Tokens, Logits]:
    """The tokens at least p times as likely as the most likely one."""
    if p <= 0:
        return tokens, logits
    kept = logits >= logits.max() + np.float32(np.log(p))
    return tokens[kept], logits[kept]


_BLOCK = 256


def lead(logits: Logits, token: int) -> float:
    """How far the logit of `token` is above the best other one, in nats; negative if another is above it."""
    start = token - token % _BLOCK
    beside = logits[start : start + _BLOCK].copy()
    beside[token - start] = -np.inf
    best = _block_maxima(logits)
    best[token // _BLOCK] = beside.max()
    return float(logits[token] - best.max())


def largest(values: Logits, count: int) -> Tokens:
    """The indices of the `count` largest values, in ascending order; of equal ones the lowest indices.

    A partition of a whole vocabulary costs more than a millisecond. The `count` blocks with the largest maxima hold
    every candidate, so only those are looked at.
    """
    if count * 4 * _BLOCK > len(values):
        return _largest_of(values, np.arange(len(values), dtype=np.int32), count)
    maxima = _block_maxima(values)
    [blocks] = np.nonzero(maxima >= np.partition(maxima, len(maxima) - count)[len(maxima) - count])
    candidates = (blocks[:, None] * _BLOCK + np.arange(_BLOCK)).ravel().astype(np.int32)
    candidates = candidates[candidates < len(values)]
    return _largest_of(values[candidates], candidates, count)


def _block_maxima(values: Logits) -> Logits:
    maxima: Logits = np.maximum.reduceat(values, np.arange(0, len(values), _BLOCK))
    return maxima


def _largest_of(values: Logits, tokens: Tokens, count: int) -> Tokens:
    if count >= len(values):
        return tokens
    threshold = np.partition(values, len(values) - count)[len(values) - count]
    above = values > threshold
    [ties] = np.nonzero(values == threshold)
    above[ties[: count - int(above.sum())]] = True
    chosen: Tokens = tokens[above]
    return chosen
