"""What is known of a model before it is loaded."""

import os
from pathlib import Path

import llama_cpp

from .backend import start_backend
from .config import LlamaConfig
from .errors import load_error
from .loading import has_experts, metadata
from .placing import place, used_devices
from .rungs import Outline


def outline(path: Path, config: LlamaConfig) -> Outline:
    """What the file says, of which no weights are read, and the devices for it.

    Raises `ModelLoadError`, and what `takers` does.
    """
    backend = start_backend()
    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    _kept = place(parameters, LlamaConfig(devices=()))  # or else llama.cpp asks all devices, lost servers among them
    backend.take_complaint()
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), parameters)
    if model is None:
        raise load_error(path, backend)
    try:
        architecture = metadata(model, "general.architecture")
        layers, context = (
            int(metadata(model, f"{architecture}.{key}") or 0) for key in ("block_count", "context_length")
        )
        return Outline(layers + 1, context, len(used_devices(config)), has_experts(model))
    finally:
        llama_cpp.llama_model_free(model)
