"""What measurements depend on, as text: they hold for the same identity only."""

import platform
from dataclasses import replace

import llama_cpp

from .backend import device_names
from .config import LlamaConfig
from .threads import chosen_threads


def loaded_identity(file: str, config: LlamaConfig) -> str:
    """A file by its identity, the machine with its devices, the build, and how the model is loaded.

    How much room there is for text changes nothing that is measured.
    """
    devices = device_names()  # which starts llama.cpp properly, before anything else is asked of it
    build = f"{llama_cpp.__version__} {llama_cpp.llama_print_system_info().decode(errors='replace')}"
    threads, threads_batch = chosen_threads(config, on_devices=False)
    settings = replace(config, n_ctx=None, threads=threads, threads_batch=threads_batch, max_rows=1, verbose=False)
    return f"{file} | {platform.node()} | {', '.join(devices)} | {build} | {settings}"
