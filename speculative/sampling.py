"""From logits and history to the distribution that the next token is drawn from.

llama.cpp's samplers (src/llama-sampler.cpp) in its order (common/common.h): logit bias, penalties, DRY, top-n-sigma,
top-k, typical-p, top-p, min-p, XTC, temperature last.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .distribution import TokenDistribution, Tokens
from .dry import BreakersOf, Dry, no_breakers
from .errors import UsageError
from .noise import Noise, Purpose
from .truncation import apply_floor, apply_typical, apply_xtc, sigma_floor

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
    typical_p: float = 1.0
    """Keep the tokens that surprise about as much as is expected, up to this probability; 1 keeps all."""
    top_n_sigma: float = -1.0
    """Keep the tokens at most so many standard deviations of all logits below the best; 0 or less keeps all."""
    xtc_probability: float = 0.0
    """How likely a token is chosen without those that reach the threshold, save for the last of them; 0 is never."""
    xtc_threshold: float = 0.1
    """The probability of such tokens; above 0.5 there is never more than one."""
    dry_multiplier: float = 0.0
    """Subtract this from the logit of a token that goes on with a repetition; 0 is off."""
    dry_base: float = 1.75
    """So many times more for each token that the repetition is longer than allowed."""
    dry_allowed_length: int = 2
    """How long repetitions may be."""
    dry_penalty_last_n: int = 64
    """Among how many tokens repetitions are looked for, prompt and answer alike; 0 none, -1 all."""
    dry_sequence_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    """Texts that no repetition goes across."""
    logit_bias: tuple[str, ...] = ()
    """What to add to logits, as llama.cpp writes it: 15043+1.5 is 1.5 for the token 15043, 15043-inf forbids it."""

    def __post_init__(self) -> None:
        for name in ("top_p", "min_p", "typical_p", "xtc_probability", "xtc_threshold"):
            if not 0 <= (value := getattr(self, name)) <= 1:
                raise UsageError(f"{name} is {value:g}, but it is a probability.", "Give a number from 0 to 1.")
        for name in _NUMBERS:
            if not abs(value := getattr(self, name)) <= _LARGEST:
                raise UsageError(f"{name} is {value:g}, which is out of range.", "Give an ordinary number such as 0.8.")
        if 0 < self.temperature < _SMALLEST:
            hint = "Give 0 to choose the most likely token."
            raise UsageError(f"temperature is {self.temperature:g}, which is too small to divide by.", hint)
        if self.repeat_penalty < _SMALLEST:
            hint = "Give a number such as 1.1; 1 switches it off."
            raise UsageError(f"repeat_penalty is {self.repeat_penalty:g}, which is too small to divide by.", hint)
        for name in ("penalty_last_n", "dry_penalty_last_n"):
            if (value := getattr(self, name)) < -1:
                raise UsageError(f"{name} is {value}.", "Give 0 for none, -1 for all, or a count.")
        if self.dry_base < 1:
            hint = "Give 1 or more; a multiplier of 0 switches DRY off."
            raise UsageError(f"dry_base is {self.dry_base:g}, but longer repetitions cannot cost less.", hint)
        if self.dry_allowed_length < 0:
            raise UsageError(f"dry_allowed_length is {self.dry_allowed_length}.", "Give a count; usually 2.")
        _ = self.biases  # raises what is wrong with them

    @property
    def penalizes(self) -> bool:
        """Whether any penalty is on."""
        on = self.repeat_penalty != 1 or self.presence_penalty != 0 or self.frequency_penalty != 0
        return on and self.penalty_last_n != 0

    @property
    def excludes(self) -> bool:
        """Whether XTC is on."""
        return self.xtc_probability > 0 and self.xtc_threshold <= 0.5

    @property
    def biases(self) -> tuple[tuple[int, float], ...]:
        """Tokens, and what is added to their logits. Raises `UsageError` for what is none of that."""
        return tuple(map(_bias, self.logit_bias))


_NUMBERS = (
    "temperature",
    "repeat_penalty",
    "presence_penalty",
    "frequency_penalty",
    "top_n_sigma",
    "dry_multiplier",
    "dry_base",
)
"""Of the parameters, those that have to be finite, and no more than that."""


def _bias(text: str) -> tuple[int, float]:
    found = re.fullmatch(r"\s*(\d{1,9})\s*([+-]\s*(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|inf))\s*", text, re.IGNORECASE)
    bias = float(found[2].replace(" ", "")) if found else np.nan
    if found is None or not (bias == -np.inf or abs(bias) <= _LARGEST):
        hint = "Write a token's number, + or -, and how much: 15043+1, or 15043-inf to forbid it."
        raise UsageError(f"{text!r} is no logit bias.", hint)
    return int(found[1]), bias


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
