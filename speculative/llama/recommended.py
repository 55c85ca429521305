"""The sampling that a model's file recommends for it."""

import math
from collections.abc import Callable

_KEYS: dict[str, tuple[str, Callable[[float], float]]] = {
    "temp": ("temperature", float),
    "top_k": ("top_k", int),
    "top_p": ("top_p", float),
    "min_p": ("min_p", float),
    "xtc_probability": ("xtc_probability", float),
    "xtc_threshold": ("xtc_threshold", float),
    "penalty_repeat": ("repeat_penalty", float),
    "penalty_last_n": ("penalty_last_n", int),
}


def recommended_sampling(metadata: Callable[[str], str | None]) -> dict[str, float]:
    """Arguments of `SamplingParams` from the `general.sampling.*` keys of a GGUF file, as llama.cpp reads them."""
    found = ((name, kind, metadata(f"general.sampling.{key}")) for key, (name, kind) in _KEYS.items())
    return {name: kind(float(value)) for name, kind, value in found if value is not None and _is_number(value)}


def recommends_mirostat(metadata: Callable[[str], str | None]) -> bool:
    """Whether a GGUF file asks for the one sampler that is not here."""
    return (metadata("general.sampling.mirostat") or "0") not in ("0", "0.000000")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
