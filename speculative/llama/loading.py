"""From a file to a llama.cpp model and context, with a sentence for everything that can be wrong."""

import ctypes
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import llama_cpp

from ..cache_types import CACHE_TYPES
from ..errors import Cancelled, ModelLoadError
from ..interrupt import Interrupt
from ..kinds import ModelKind
from ..placement import placement
from .backend import Backend, gpus
from .config import LlamaConfig
from .errors import context_error, load_error
from .placing import place
from .snapshots import snapshots
from .threads import chosen_threads

_FLASH_ATTENTION = {
    "auto": llama_cpp.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}


def load_weights(
    path: Path,
    config: LlamaConfig,
    backend: Backend,
    interrupt: Interrupt,
    on_progress: Callable[[float], None] | None,
) -> tuple["llama_cpp.llama_model_p", object]:
    """The model of a file, which must be freed, and what must live as long as it does."""
    stopped = False

    def progress(share: float, _data: object) -> bool:
        nonlocal stopped
        stopped = interrupt.requested
        if on_progress is not None:
            on_progress(share)
        return not stopped

    parameters = llama_cpp.llama_model_default_params()
    kept = place(parameters, config)
    parameters.use_extra_bufts = config.repack
    callback = llama_cpp.llama_progress_callback(progress)
    parameters.progress_callback = callback
    backend.take_complaint()
    model: llama_cpp.llama_model_p | None = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
    if model is None:
        raise Cancelled if stopped else load_error(path, backend)
    return model, kept


def kind_of(model: "llama_cpp.llama_model_p") -> ModelKind:
    """What decides whether the model continues text."""
    architecture = metadata(model, "general.architecture") or ""
    pooling = int(metadata(model, f"{architecture}.pooling_type") or 0)
    causal = metadata(model, f"{architecture}.attention.causal") != "false"
    return ModelKind(
        architecture=architecture,
        embeds=pooling > llama_cpp.LLAMA_POOLING_TYPE_NONE or not causal,
        has_encoder=llama_cpp.llama_model_has_encoder(model) or not llama_cpp.llama_model_has_decoder(model),
        is_diffusion=llama_cpp.llama_model_is_diffusion(model),
        has_tokenizer=llama_cpp.llama_vocab_type(vocabulary_of(model)) != llama_cpp.LLAMA_VOCAB_TYPE_NONE,
    )


def has_experts(model: "llama_cpp.llama_model_p") -> bool:
    """Whether it is a mixture of experts."""
    architecture = metadata(model, "general.architecture") or ""
    return int(metadata(model, f"{architecture}.expert_count") or 0) > 0


def create_context(
    path: Path, model: "llama_cpp.llama_model_p", config: LlamaConfig, backend: Backend, interrupt: Interrupt
) -> tuple["llama_cpp.llama_context_p", object]:
    """A context of the model, and the callback that must live as long as it does."""

    # Python's own handling of Ctrl-C gets its turn here: without a Python function that is called now and then, a
    # signal would wait for the end of the pass.
    def aborted(_data: object) -> bool:
        return interrupt.requested

    abort = llama_cpp.ggml_abort_callback(aborted)
    parameters = _context_parameters(model, config)
    parameters.abort_callback = abort
    backend.take_complaint()
    context = llama_cpp.llama_init_from_model(model, parameters)
    if context is None:
        trained = llama_cpp.llama_model_n_ctx_train(model)
        raise context_error(path, config.context(trained), trained, config, backend)
    if llama_cpp.llama_get_memory(context) is None:
        llama_cpp.llama_free(context)
        raise ModelLoadError(f"{path} has no memory of what it has read, so it cannot generate text.")
    return context, abort


def _context_parameters(model: "llama_cpp.llama_model_p", config: LlamaConfig) -> "llama_cpp.llama_context_params":
    parameters: llama_cpp.llama_context_params = llama_cpp.llama_context_default_params()
    parameters.n_ctx = context_size(model, config) + config.min_pass - 1
    parameters.n_batch = parameters.n_ubatch = config.n_batch
    parameters.n_seq_max = 1
    # Whole, so that any tokens can be taken back, and cells are in one order whatever was drafted: the order rounds.
    parameters.swa_full = config.whole_windows
    size: int = llama_cpp.llama_model_size(model)
    # One more than these is fewer than the tokens of a pass, or llama.cpp aborts: see `split_equal` in its llama-batch.
    most = max(0, min(config.n_batch, parameters.n_ctx) - 2)
    parameters.n_rs_seq = min(snapshots(partial(metadata, model), size), most)
    # Room for verified rows only: for all tokens of a batch it would be hundreds of megabytes.
    parameters.n_outputs_max = min(config.max_rows + config.min_pass - 1, config.n_batch)
    parameters.n_threads, parameters.n_threads_batch = chosen_threads(config, _all_on_devices(model, config))
    parameters.flash_attn_type = _FLASH_ATTENTION[config.flash_attention]
    parameters.type_k = CACHE_TYPES[config.cache_type_k]
    parameters.type_v = CACHE_TYPES[config.cache_type_v]
    return parameters


def _all_on_devices(model: "llama_cpp.llama_model_p", config: LlamaConfig) -> bool:
    """Whether no layer of the model is computed here."""
    layers = n_layers(model)
    placed = placement(layers, config.layers_on_devices(layers), gpus(config.devices, config.rpc) or ())
    return placed.on_devices == layers and not (config.cpu_moe and has_experts(model))


def n_layers(model: "llama_cpp.llama_model_p") -> int:
    """How many layers a model has; the output counts as one, as it does for -ngl."""
    layers: int = llama_cpp.llama_model_n_layer(model)
    return layers + 1


def context_size(model: "llama_cpp.llama_model_p", config: LlamaConfig) -> int:
    """The tokens of context that the settings mean for this model."""
    return config.context(llama_cpp.llama_model_n_ctx_train(model))


def vocabulary_of(model: "llama_cpp.llama_model_p") -> "llama_cpp.llama_vocab_p":
    """The vocabulary of a model, which every model has."""
    vocabulary: llama_cpp.llama_vocab_p | None = llama_cpp.llama_model_get_vocab(model)
    assert vocabulary is not None
    return vocabulary


def metadata(model: "llama_cpp.llama_model_p", key: str) -> str | None:
    """The value of a key of the file as text, None if there is no such key."""
    size = 256
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = llama_cpp.llama_model_meta_val_str(model, key.encode(), buffer, size)
        if length < 0:
            return None
        if length < size:
            return buffer.raw[:length].decode(errors="replace")
        size = length + 1
