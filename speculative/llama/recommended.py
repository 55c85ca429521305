"""The sampling that a model's file recommends for it."""

from collections.abc import Callable

_KEYS: dict[str, tuple[str, Callable[[str], float]]] = {
    "temp": ("temperature", float),
    "top_k": ("top_k", int),
    "top_p": ("top_p", float),
    "min_p": ("min_p", float),
    "penalty_repeat": ("repeat_penalty", float),
    "penalty_last_n": ("penalty_last_n", int),
}


def recommended_sampling(metadata: Callable[[str], str | None]) -> dict[str, float]:
    """Arguments of `SamplingParams` from the `general.sampling.*` keys of a GGUF file, as llama.cpp reads them."""
    found = {name: (metadata(f"general.sampling.{key}"), kind) for key, (name, kind) in _KEYS.items()}
    return {name: kind(value) for name, (value, kind) in found.items() if value is not None}
