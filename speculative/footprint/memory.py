"""What a model takes once it is loaded, by part and by layer."""

from dataclasses import dataclass, replace

from .rows import cache_bytes
from .shape import LayerShape, ModelShape

_CELLS = 256
"""Contexts and windows are rounded up to a multiple: `GGML_PAD` in llama-context.cpp and llama-kv-cache-iswa.cpp."""
_NO_SNAPSHOTS = 2
"""Tokens of a pass beyond the snapshots that it may make: `_context_parameters` in speculative/llama/loading.py."""
_FLOAT = 4
_IN_AND_OUT = 5
"""Rows as wide as the embedding for each of logits, on a device that has the output alone: four copies of what goes in,
and one that is made of it."""
_INPUTS = 64
"""Bytes that the numbers, places and rows of a token of a pass take in its graph, at most."""
_SLACK = 1.05
"""Of the buffers of a graph, which an allocator lays out: so much more than the widest place on the way is reckoned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedBy:
    """How a model is loaded: tokens of `context` and of a pass, `rows` of logits, the cache's types by their names.

    With `whole_windows`, llama.cpp's default (`swa_full`), windowed layers keep the whole context too.
    """

    context: int
    pass_length: int = 512
    rows: int = 1
    cache_type_k: str = "f16"
    cache_type_v: str = "f16"
    flash_attention: bool = True
    whole_windows: bool = True


@dataclass(frozen=True, slots=True)
class LayerMemory:
    """Bytes of one layer, wherever that goes.

    Of the weights, some are those of `experts`; `idle` are those of them that a token does not go through.
    """

    weights: int
    cache: int
    experts: int = 0
    idle: int = 0

    @property
    def read(self) -> int:
        """What a token goes through."""
        return self.weights - self.idle

    @property
    def without_experts(self) -> "LayerMemory":
        """What is left where its experts are elsewhere."""
        return LayerMemory(self.weights - self.experts, self.cache)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMemory:
    """Bytes of a loaded model.

    The last of the `layers` is the output. The weights that are `kept` stay in main memory, embeddings among them, and
    so do the `logits`; where the output is on a device, that has `copied` more bytes of weights. Each device that has a
    layer needs `compute`, one that has the output alone `finishing`, and one that only hands tokens on `passing`. Of
    the kept ones, a device borrows so many `lent` bytes at a time for reading long texts.
    """

    layers: tuple[LayerMemory, ...]
    kept: int
    copied: int
    compute: int
    finishing: int
    passing: int
    logits: int
    lent: int = 0
    complete: bool = True

    def with_contexts(self, count: int) -> "ModelMemory":
        """The same with so many contexts over the same weights."""
        layers = tuple(replace(layer, cache=count * layer.cache) for layer in self.layers)
        sizes = (self.compute, self.finishing, self.passing, self.logits)
        compute, finishing, passing, logits = (count * size for size in sizes)
        return replace(self, layers=layers, compute=compute, finishing=finishing, passing=passing, logits=logits)

    def keeping_experts(self, count: int) -> "ModelMemory":
        """The same with the experts of the first `count` layers in main memory."""
        stay = [layer.experts for layer in self.layers[:count]]
        bare = [layer.without_experts for layer in self.layers[:count]]
        return replace(
            self, layers=(*bare, *self.layers[count:]), kept=self.kept + sum(stay), lent=max(stay, default=0)
        )

    @property
    def layers_to_experts(self) -> int:
        """How many of the first layers all those are among that have experts."""
        return max((place for place, layer in enumerate(self.layers, 1) if layer.experts), default=0)

    @property
    def weights(self) -> int:
        """All weights, each counted once."""
        return self.kept + sum(layer.weights for layer in self.layers)

    @property
    def cache(self) -> int:
        """What is kept of the text."""
        return sum(layer.cache for layer in self.layers)


def model_memory(shape: ModelShape, loaded: LoadedBy) -> ModelMemory:
    """What a model of this shape takes if it is loaded like this.

    Weights and cache are exact: llama_kv_cache::llama_kv_cache, llama_memory_recurrent::llama_memory_recurrent. The
    weights that llama.cpp lays out anew for the CPU count once: the file's own pages give way to them.
    """
    output = LayerMemory(shape.output_weights, 0)
    padded = max((layer.v_width for layer in shape.layers), default=0)
    masks = _masks(shape, loaded)
    layers = [
        LayerMemory(layer.weights, _cache(shape, layer, loaded, padded), layer.experts, _idle(shape, layer))
        for layer in shape.layers
    ]
    return ModelMemory(
        layers=(*layers, output),
        kept=shape.input_weights,
        copied=shape.tied,
        compute=round(_SLACK * (_widest(shape, loaded) + masks)),
        finishing=round(_SLACK * loaded.rows * (shape.vocabulary + _IN_AND_OUT * shape.embedding) * _FLOAT),
        passing=round(_SLACK * (2 * _pass_length(loaded) * shape.embedding * _FLOAT + masks)),
        logits=loaded.rows * shape.vocabulary * _FLOAT,
        complete=shape.complete,
    )


def _idle(shape: ModelShape, layer: LayerShape) -> int:
    return layer.experts * (shape.experts - shape.used) // shape.experts if shape.experts else 0


def _cells(shape: ModelShape, windowed: bool, loaded: LoadedBy) -> int:
    whole = -(-loaded.context // _CELLS) * _CELLS
    if not windowed or loaded.whole_windows:
        return whole
    return min(whole, -(-(shape.window + _pass_length(loaded)) // _CELLS) * _CELLS)


def _cache(shape: ModelShape, layer: LayerShape, loaded: LoadedBy, padded: int) -> int:
    """Bytes. Without flash attention all V caches are as wide as the widest, `[TAG_V_CACHE_VARIABLE]`."""
    v_width = padded if layer.v_width and not loaded.flash_attention else layer.v_width
    token = cache_bytes(loaded.cache_type_k, layer.k_width) + cache_bytes(loaded.cache_type_v, v_width)
    states = 1 + min(shape.snapshots, max(0, _pass_length(loaded) - _NO_SNAPSHOTS))
    return token * _cells(shape, layer.windowed, loaded) + layer.state * states


def _pass_length(loaded: LoadedBy) -> int:
    return min(loaded.pass_length, loaded.context)


def _masks(shape: ModelShape, loaded: LoadedBy) -> int:
    """Bytes of what says which token sees which, once for each kind of layer: build_attn_inp_kv_impl."""
    kinds = {layer.windowed for layer in shape.layers if layer.k_width}
    each = 2 if loaded.flash_attention else _FLOAT
    return sum(_pass_length(loaded) * (_cells(shape, kind, loaded) * each + _INPUTS) for kind in kinds)


def _widest(shape: ModelShape, loaded: LoadedBy) -> int:
    """Bytes at the widest place of a pass: the graph's allocator uses the memory of one place again for the next.

    In a feed-forward block that are both its branches and their product, beside what went in and comes out; among
    experts what each says, and that weighed; in attention without its fused kernel all scores of all heads.
    """
    tokens, embedding = _pass_length(loaded), shape.embedding
    feed_forward = tokens * (3 * shape.hidden + 4 * embedding)
    experts = tokens * (2 * shape.experts_out + 6 * embedding)
    scores = 0 if loaded.flash_attention else shape.heads * _cells(shape, False, loaded)
    attention = tokens * (scores + 2 * shape.queries + 4 * embedding)
    output = loaded.rows * (shape.vocabulary + embedding) + tokens * embedding
    return _FLOAT * max(feed_forward, experts, attention, output)
