"""What the layers of a model keep of each token for attention, as its header says it."""

from dataclasses import dataclass

from .hyperparameters import Hyperparameters

_PERIODS = {
    "afmoe": 4, "cohere2": 4, "cohere2moe": 4, "exaone-moe": 4, "exaone4": 4, "gemma2": 2, "gemma3": 6, "gemma3n": 5,
    "gpt-oss": 2, "laguna": 4, "llama4": 4, "mellum": 4, "muse-glimmer": 4, "olmo2": 4, "plamo3": 8, "smallthinker": 4,
}  # fmt: skip
"""One layer of so many sees the whole context, the others a window: calls of `load_swa_pattern` in src/models."""
_FULL_FIRST = ("cohere2moe", "laguna", "smallthinker")
_UNSAID = {"exaone4": 4096, "gemma2": 4096, "llama4": 8192}
_FIXED = {"llama4": 8192, "smallthinker": 4096}
"""Windows where the header says none, and those that count whatever it says."""
_LARGE_EXAONE = 64
"""Layers of the one Exaone 4 that has windows."""
_UNWINDOWED = ("phi3",)
_SHARING = {"gemma3n": 20}
"""So many first layers have a cache, which the others use too."""
_MORE_KEPT = ("deepseek32", "deepseek4", "glm-dsa", "glm5-next", "dots3note", "minimax-m3", "qwen4exp", "hy_v4")
"""Architectures that keep indices beside the cache, which are not reckoned: llama_model::create_memory."""


@dataclass(frozen=True, slots=True)
class Attention:
    """The numbers of a token in the K and V caches of each layer, and which layers see a `window` of tokens only.

    `queries` are the numbers that ask for a token, `complete` says whether that is all that is kept.
    """

    k_widths: tuple[int, ...]
    v_widths: tuple[int, ...]
    windowed: frozenset[int]
    window: int
    queries: int
    complete: bool


def attention_of(found: Hyperparameters) -> Attention:
    """What the layers keep."""
    heads = found.numbers("attention.head_count")
    kv_heads = found.numbers("attention.head_count_kv") if found.has("attention.head_count_kv") else heads
    usual = found.number("embedding_length") // heads[0] if heads[0] else 0
    windowed, window = _windowed(found)
    k, v = (_lengths(found, kind, usual, windowed) for kind in ("key", "value"))
    latent = found.number("attention.key_length_mla") and found.number("attention.value_length_mla")
    keeping = _keeping(found)
    return Attention(
        k_widths=tuple(n * kv_heads[place] if place < keeping else 0 for place, n in enumerate(k)),
        v_widths=tuple(n * kv_heads[place] if place < keeping and not latent else 0 for place, n in enumerate(v)),
        windowed=windowed,
        window=window,
        queries=max(heads) * max(k),
        complete=found.architecture not in _MORE_KEPT,
    )


def _lengths(found: Hyperparameters, kind: str, usual: int, windowed: frozenset[int]) -> tuple[int, ...]:
    """The numbers of a head of each layer."""
    whole = found.number(f"attention.{kind}_length", usual)
    in_window = found.number(f"attention.{kind}_length_swa", whole)
    return tuple(in_window if place in windowed else whole for place in range(found.layers))


def _keeping(found: Hyperparameters) -> int:
    """How many of the layers, the first ones, have a cache of their own."""
    shared = found.number("attention.shared_kv_layers")
    return min(found.used_layers, _SHARING.get(found.architecture, found.layers - shared))


def _windowed(found: Hyperparameters) -> tuple[frozenset[int], int]:
    """The layers that see a window, and its tokens."""
    key, name = "attention.sliding_window", found.architecture
    window = found.number(key, _UNSAID.get(name, 0))
    if name == "exaone4" and found.layers != _LARGE_EXAONE:
        window = 0
    if not window or name in _UNWINDOWED:
        return frozenset(), 0
    return _pattern(found, f"{key}_pattern"), _FIXED.get(name, window)


def _pattern(found: Hyperparameters, key: str) -> frozenset[int]:
    """A mark for each layer, or a period, or that of the architecture: llama_hparams::set_swa_pattern."""
    layers = range(found.used_layers)
    if found.header.array(f"{found.architecture}.{key}"):
        return frozenset(place for place, marked in enumerate(found.numbers(key)) if marked)
    period = found.number(key, _PERIODS.get(found.architecture, 0))
    if not period:
        return frozenset()
    full = 0 if found.architecture in _FULL_FIRST else period - 1
    return frozenset(place for place in layers if place % period != full)
