"""From logits and history to the distribution that the next token is drawn from.

llama.cpp's samplers (src/llama-sampler.cpp) in its order (common/common.h): logit bias, penalties, DRY, top-n-sigma,
top-k, typical-p, top-p, min-p, XTC, temperature last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .distribution import TokenDistribution, Tokens
from .dry import BreakersOf, Dry, no_breakers
from .noise import Noise, Purpose
from .sampling_params import SamplingParams as SamplingParams
from .truncation import apply_floor, apply_typical, apply_xtc, sigma_floor

Logits = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SamplerChain:
    """All samplers of `params`, in order.

    `breakers_of` spells DRY's breakers in the vocabulary. XTC's chance is in the `noise` of an answer that starts
    behind so many tokens: `of_answer`.
    """

    params: SamplingParams
    breakers_of: BreakersOf = no_breakers
    noise: Noise | None = None
    start: int = 0
    _biases: tuple[tuple[int, float], ...] = field(init=False, repr=False)
    _dry: Dry | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_biases", self.params.biases)
        object.__setattr__(self, "_dry", _dry(self.params, self.breakers_of))

    def of_answer(self, noise: Noise, start: int) -> "SamplerChain":
        """The same for an answer behind a prompt of `start` tokens, that takes its chance from `noise`."""
        return replace(self, noise=noise, start=start)

    def distribution(self, logits: Logits, history: Sequence[int]) -> TokenDistribution:
        """The distribution of the token that follows `history`.

        `logits`, of shape (vocabulary,), are what the model says after `history`, and are left as they are.
        `history` is the whole context, prompt included; penalties look at the end of it.
        """
        params = self.params
        logits = self._changed(logits, history)
        if params.temperature <= 0 and params.typical_p >= 1 and not params.excludes:
            return TokenDistribution.point(int(np.argmax(logits)))  # equal logits: the lowest id
        tokens, kept = apply_top_k(logits, params.top_k)
        if params.top_n_sigma > 0:
            tokens, kept = apply_floor(tokens, kept, sigma_floor(logits, params.top_n_sigma))
        tokens, kept = apply_typical(tokens, kept, params.typical_p)
        mass = total_mass(kept) if params.top_p < 1 else 0.0
        # min-p before top-p: both keep the most likely ones, so the order is free, and less is left to sort
        tokens, kept = apply_min_p(tokens, kept, params.min_p)
        tokens, kept = apply_top_p(tokens, kept, params.top_p, mass)
        if params.excludes and self._excludes_now(history):
            tokens, kept = apply_xtc(tokens, kept, params.xtc_threshold)
        if params.temperature <= 0:
            return TokenDistribution.point(int(tokens[np.argmax(kept)]))
        return TokenDistribution.from_logits(tokens, kept / np.float32(params.temperature))

    def _changed(self, logits: Logits, history: Sequence[int]) -> Logits:
        """The logits with all that is added to them and taken off; a copy where that is something."""
        params = self.params
        if self._biases:
            logits = apply_biases(logits, self._biases)
        if params.penalizes:
            logits = apply_penalties(logits, recent(history, params.penalty_last_n), params)
        return logits if self._dry is None else self._dry.applied(logits, history)

    def _excludes_now(self, history: Sequence[int]) -> bool:
        assert self.noise is not None, "XTC needs the noise of an answer"
        return self.noise.accept(self.params.xtc_probability, len(history) - self.start, Purpose.EXCLUDE)

    def lead(self, logits: Logits, distribution: TokenDistribution, token: int) -> float:
        """How far the logit of `token` is above the best other one, in nats; `distribution` was made from `logits`.

        Where it still holds others, it holds the best of them, and nothing has to be searched.
        """
        if len(distribution.tokens) == 1:
            return lead(logits, token)
        others = distribution.logprobs[distribution.tokens != token].max()
        [own] = distribution.logprobs[distribution.tokens == token]
        return float(own - others) * self.params.temperature


def _dry(params: SamplingParams, breakers_of: BreakersOf) -> Dry | None:
    """DRY, if it is on."""
    if params.dry_multiplier == 0 or params.dry_penalty_last_n == 0:
        return None
    length, last_n = params.dry_allowed_length, params.dry_penalty_last_n
    return Dry(params.dry_multiplier, params.dry_base, length, last_n, breakers_of(params.dry_sequence_breakers))


def apply_biases(logits: Logits, biases: Sequence[tuple[int, float]]) -> Logits:
    """A copy of `logits` with what is added to those of some tokens; tokens that it does not have are left out."""
    changed = logits.copy()
    for token, bias in biases:
        if token < len(changed):
            changed[token] += np.float32(bias)
    return changed


def recent(history: Sequence[int], last_n: int) -> Sequence[int]:
    """The tokens that penalties look at."""
    return history if last_n < 0 else history[max(0, len(history) - last_n) :]


def apply_penalties(logits: Logits, window: Sequence[int], params: SamplingParams) -> Logits:
    """A copy of `logits` with the repeat, frequency and presence penalties of the tokens in `window`.

    Tokens that it does not have are left out.
    """
    tokens, counts = np.unique(np.asarray(window, np.int64), return_counts=True)
    known = np.searchsorted(tokens, len(logits))
    tokens, counts = tokens[:known], counts[:known]
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

    A partition of a whole vocabulary costs more than a millisecond. Where the maxima of `count` blocks reach a value,
    so do all that are looked for, and hardly any others do: only those are partitioned.
    """
    if count * 4 * _BLOCK > len(values):
        return _largest_of(values, np.arange(len(values), dtype=np.int32), count)
    maxima = _block_maxima(values)
    least = np.partition(maxima, len(maxima) - count)[len(maxima) - count]
    [candidates] = np.nonzero(values >= least)
    return _largest_of(values[candidates], candidates.astype(np.int32), count)


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
