"""What recurrent layers keep of a whole text, as a header says it: llama_hparams::n_embd_r and n_embd_s."""

from dataclasses import dataclass

from .hyperparameters import Hyperparameters

_RECURRENT = ("mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7")
"""llm_arch_is_recurrent"""
_HYBRID = (
    "jamba", "falcon-h1", "plamo2", "granitehybrid", "lfm2", "lfm2moe", "nemotron_h", "nemotron_h_moe", "qwen3next",
    "kimi-linear", "bailingmoe3", "kimi-k3", "glm5-next", "qwen35", "qwen35moe", "qwen4exp", "minimax-01",
)  # fmt: skip
"""llm_arch_is_hybrid"""
_STEPPING_BACK = (
    "kimi-k3", "qwen35", "qwen35moe", "qwen4exp", "deepseek4", "glm5-next", "nemotron_h", "nemotron_h_moe", "lfm2",
    "lfm2moe", "bailingmoe3",
)  # fmt: skip
"""llm_arch_supports_rs_rollback"""
_BOTH = ("falcon-h1",)
"""Here each layer does both."""
_INTERVALS = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4, "qwen4exp": 4, "minimax-01": 8}
"""One of so many layers attends, where the header does not say it."""
_LIGHTNING = ("minimax-01",)
_FLOAT = 4
_WIDENED = 2
"""Times what is mixed, more than a pass of Mamba was seen to take (1.5)."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """The `layers` that keep a `state` of so many bytes, and those that do so `instead` of attending.

    `width` are the numbers of a token inside of such a layer, at its widest.
    """

    layers: frozenset[int]
    instead: frozenset[int]
    state: int
    width: int


def recurrence_of(found: Hyperparameters) -> Recurrence:
    """What the layers keep."""
    name, used = found.architecture, range(found.used_layers)
    if name in _RECURRENT:
        layers = instead = frozenset(used)
    elif name in _BOTH:
        layers, instead = frozenset(used), frozenset[int]()
    elif name in _HYBRID:
        layers = instead = _marked(found)
        if name.startswith("nemotron"):  # some layers do neither
            feeding = found.numbers("feed_forward_length")
            layers = frozenset(place for place in layers if not feeding[place])
    else:
        layers = instead = frozenset()
    inner, groups, size = (found.number(f"ssm.{key}") for key in ("inner_size", "group_count", "state_size"))
    mixed = inner + 2 * groups * size if layers else 0
    state = _FLOAT * (_convolved(found, mixed) + _state(found, inner * size))
    return Recurrence(layers, instead, state, _WIDENED * mixed)


def snapshots_of(found: Hyperparameters, weights: int) -> int:
    """How many snapshots of the states of a model with so many bytes of `weights` are kept, as loading decides it."""
    if found.architecture not in _STEPPING_BACK:
        return 0
    from specchat.speculative.llama.snapshots import snapshots

    return snapshots(found.text, weights)


def _marked(found: Hyperparameters) -> frozenset[int]:
    if found.header.array(f"{found.architecture}.attention.recurrent_layers"):
        marks = found.numbers("attention.recurrent_layers")
        return frozenset(place for place, marked in enumerate(marks) if marked)
    if found.architecture in _INTERVALS:
        interval = found.number("full_attention_interval", _INTERVALS[found.architecture]) or 1
        return frozenset(place for place in range(found.used_layers) if (place + 1) % interval)
    kv_heads = found.numbers("attention.head_count_kv")
    return frozenset(place for place in range(found.used_layers) if not kv_heads[place])


def _convolved(found: Hyperparameters, width: int) -> int:
    """Numbers that are kept of the last tokens."""
    embedding, kernel = found.number("embedding_length"), found.number("ssm.conv_kernel")
    if found.number("wkv.head_size"):
        return found.number("token_shift_count", 2) * embedding
    if cached := found.number("shortconv.l_cache"):
        return embedding * (cached - 1)
    if head := found.number("kda.head_dim"):
        return 3 * (kernel - 1 if kernel else 3) * found.number("attention.head_count") * head
    return max(0, kernel - 1) * width


def _state(found: Hyperparameters, state: int) -> int:
    """Numbers that stand for all tokens."""
    if size := found.number("wkv.head_size"):
        return found.number("embedding_length") * size
    if found.number("shortconv.l_cache"):
        return 0
    head = found.number("attention.key_length") if found.architecture in _LIGHTNING else found.number("kda.head_dim")
    if head:
        return head * head * found.number("attention.head_count")
    return state
