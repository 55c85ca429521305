"""How tokens are chosen: the parameters of llama.cpp's samplers, checked."""

import math
import re
from dataclasses import dataclass

from .errors import UsageError

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
    def greedy(self) -> bool:
        """Whether temperature or top-k leave nothing to draw, so that a prompt has one answer only."""
        return self.top_k == 1 or (self.temperature <= 0 and not self.excludes)

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
    bias = float(found[2].replace(" ", "")) if found else math.nan
    if found is None or not (bias == -math.inf or abs(bias) <= _LARGEST):
        hint = "Write a token's number, + or -, and how much: 15043+1, or 15043-inf to forbid it."
        raise UsageError(f"{text!r} is no logit bias.", hint)
    return int(found[1]), bias
