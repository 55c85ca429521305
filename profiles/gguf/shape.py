"""What a header says of how much memory its model takes, as llama_model_base::load_hparams reads it."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from specchat.speculative.footprint.rows import row_bytes
from specchat.speculative.footprint.shape import LayerShape, ModelShape

from .attention import attention_of
from .header import GgufHeader, Tensor
from .hyperparameters import Hyperparameters
from .recurrence import recurrence_of, snapshots_of
from .rope import scaled_context

_LAYER = "blk."
_INPUTS = ("token_embd", "token_types", "position_embd", "per_layer_token_embd")
"""Tensors that stay in main memory: `LLM_TENSOR_LAYER_INPUT` in llama-arch.cpp."""
_EMBEDDINGS, _OUTPUT = "token_embd.weight", "output.weight"
_EXPERTS = re.compile(r"\.ffn_(up|down|gate|gate_up)_(ch|)exps")
"""LLM_FFN_EXPS_REGEX in common/common.h of llama.cpp."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """Bytes, by layer, of the experts in it, and outside of layers."""

    layers: tuple[int, ...]
    experts: tuple[int, ...]
    inputs: int
    output: int
    tied: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self.layers) + self.inputs + self.output


def model_shape(headers: Sequence[GgufHeader]) -> ModelShape | None:
    """The shape of the model that is in files with these headers, the first one first.

    None where that cannot be known: the header leaves out what llama.cpp needs, or has types of numbers that are new.
    """
    found = Hyperparameters(headers[0])
    tensors = [tensor for header in headers for tensor in header.tensors]
    embedding, vocabulary = found.number("embedding_length"), _vocabulary(headers[0])
    if not (found.layers and embedding and vocabulary and found.number("context_length")):
        return None
    weights = _weights(tensors, found)
    if weights is None:
        return None
    attention, recurrence = attention_of(found), recurrence_of(found)
    used = found.number("expert_used_count")
    return ModelShape(
        layers=tuple(
            LayerShape(
                weights=size,
                experts=weights.experts[place],
                k_width=0 if place in recurrence.instead else attention.k_widths[place],
                v_width=0 if place in recurrence.instead else attention.v_widths[place],
                state=recurrence.state if place in recurrence.layers else 0,
                windowed=place in attention.windowed,
            )
            for place, size in enumerate(weights.layers)
        ),
        input_weights=weights.inputs,
        output_weights=weights.output,
        tied=weights.tied,
        window=attention.window,
        embedding=embedding,
        hidden=max(_hidden(found), recurrence.width),
        experts_out=used * embedding,
        queries=attention.queries,
        heads=max(found.numbers("attention.head_count")),
        experts=found.number("expert_count"),
        used=used,
        vocabulary=vocabulary,
        trained_context=found.number("context_length"),
        scaled_context=scaled_context(found),
        parameters=sum(prod(tensor.shape) for tensor in tensors),
        snapshots=snapshots_of(found, weights.total),
        complete=attention.complete,
    )


def _hidden(found: Hyperparameters) -> int:
    """The widest feed-forward block; experts that work on one token stand side by side, and one for all beside them."""
    chosen = found.number("expert_used_count") * max(found.numbers("expert_feed_forward_length"))
    chosen = chosen or found.number("expert_used_count") * max(found.numbers("feed_forward_length"))
    dense = 0 if _all_experts(found) else max(found.numbers("feed_forward_length"))
    return max(chosen, dense, found.number("expert_shared_feed_forward_length"))


def _all_experts(found: Hyperparameters) -> bool:
    return found.number("expert_count") > 0 and not found.number("leading_dense_block_count")


def _vocabulary(header: GgufHeader) -> int:
    tokens = header.array("tokenizer.ggml.tokens")
    return tokens.count if tokens else 0


def _weights(tensors: Sequence[Tensor], found: Hyperparameters) -> _Weights | None:
    """None where a type is not known. What predicts several tokens at once is not loaded (`load_mtp`)."""
    layers: dict[int, int] = defaultdict(int)
    of_experts: dict[int, int] = defaultdict(int)
    inputs = output = 0
    sizes: dict[str, int] = {}
    for tensor in tensors:
        row = row_bytes(tensor.kind, tensor.shape[0] if tensor.shape else 1)
        if row is None:
            return None
        sizes[tensor.name] = size = row * prod(tensor.shape[1:])
        if (place := _layer(tensor.name)) is not None:
            layers[place] += size
            of_experts[place] += size if _EXPERTS.search(tensor.name) else 0
        elif tensor.name.startswith(_INPUTS):
            inputs += size
        else:
            output += size
    by_layer, experts = (
        tuple(sizes_of[place] if place < found.used_layers else 0 for place in range(found.layers))
        for sizes_of in (layers, of_experts)
    )
    return _Weights(by_layer, experts, inputs, output, 0 if _OUTPUT in sizes else sizes.get(_EMBEDDINGS, 0))


def _layer(name: str) -> int | None:
    number = name.removeprefix(_LAYER).partition(".")[0]
    return int(number) if name.startswith(_LAYER) and number.isdecimal() else None
