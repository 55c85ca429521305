"""What a header says about its model, in the words that people use."""

from dataclasses import dataclass
from math import prod

from specchat.speculative.kinds import ModelKind

from .header import GgufHeader, shortened
from .quantisation import quantisation
from .tokenizers import NO_TOKENIZER

_ENCODERS = ("t5", "t5encoder", "eagle3", "dflash")
_DIFFUSION = ("dream", "llada", "llada-moe", "rnd1")
"""Architectures of llama.cpp that decode no text token by token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Of a model; None is what its header does not say.

    `parameters` are those of this file, so of a split model only a part; `shards` is the number of its files. `context`
    is what it was trained on, in tokens. `objection` is why it cannot generate text, as the rest of a sentence about
    it, and None where it can.
    """

    architecture: str
    name: str | None
    size_label: str | None
    parameters: int
    quantisation: str | None
    context: int | None
    layers: int | None
    tokenizer: str | None
    pre_tokenizer: str | None
    vocabulary: int
    has_template: bool
    licence: str | None
    objection: str | None
    shards: int


def model_facts(header: GgufHeader) -> ModelFacts:
    """The facts in a header."""
    architecture = _word(header, "general.architecture") or ""
    tokens = header.array("tokenizer.ggml.tokens")
    return ModelFacts(
        architecture=architecture,
        name=_word(header, "general.name"),
        size_label=_word(header, "general.size_label"),
        parameters=sum(prod(tensor.shape) for tensor in header.tensors),
        quantisation=quantisation(header),
        context=header.integer(f"{architecture}.context_length"),
        layers=header.integer(f"{architecture}.block_count"),
        tokenizer=_word(header, "tokenizer.ggml.model"),
        pre_tokenizer=_word(header, "tokenizer.ggml.pre"),
        vocabulary=tokens.count if tokens else 0,
        has_template=bool(header.text("tokenizer.chat_template")),
        licence=_word(header, "general.license"),
        objection=_objection(header, architecture),
        shards=max(1, header.integer("split.count") or 1),
    )


def _word(header: GgufHeader, key: str) -> str | None:
    text = header.text(key)
    return None if text is None else shortened(text)


def _objection(header: GgufHeader, architecture: str) -> str | None:
    use = "projector" if architecture == "clip" else _word(header, "general.type") or "model"
    if use != "model":
        return f"is no language model: it is of the type {use}."
    if objection := model_kind(header).objection:
        return objection
    return None if header.tensors or header.integer("split.count") else "holds no weights."


def model_kind(header: GgufHeader) -> ModelKind:
    """What decides whether the model continues text, as loading it would find out."""
    architecture = _word(header, "general.architecture") or ""
    return ModelKind(
        architecture=architecture,
        embeds=(header.integer(f"{architecture}.pooling_type") or 0) > 0
        or header.metadata.get(f"{architecture}.attention.causal") is False,
        has_encoder=architecture in _ENCODERS,
        is_diffusion=architecture in _DIFFUSION,
        has_tokenizer=(header.text("tokenizer.ggml.model") or "none") not in NO_TOKENIZER,
    )
