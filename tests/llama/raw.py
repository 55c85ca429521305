"""llama.cpp by its own functions, one token a pass: an oracle that shares no code with the decoder."""

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import llama_cpp
import numpy as np
from numpy.typing import NDArray

from specchat.speculative.llama.backend import start_backend


def silence() -> None:
    """llama.cpp has one log for the process; the engine's own callback keeps it off the screen."""
    start_backend()


class RawModel:
    """Logits after a text, computed token by token; remembers the text that it has read."""

    def __init__(self, model: "llama_cpp.llama_model_p", context: "llama_cpp.llama_context_p") -> None:
        self._context = context
        self._memory = llama_cpp.llama_get_memory(context)
        self._n_vocab = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
        self._read: list[int] = []

    def logits(self, text: Sequence[int]) -> NDArray[np.float32]:
        """Of shape (vocabulary,)."""
        if self._read != list(text[: len(self._read)]) or len(self._read) == len(text):
            llama_cpp.llama_memory_clear(self._memory, True)
            self._read = []
        for token in text[len(self._read) :]:
            batch = llama_cpp.llama_batch_get_one((llama_cpp.llama_token * 1)(token), 1)
            assert llama_cpp.llama_decode(self._context, batch) == 0
            self._read.append(token)
        pointer = llama_cpp.llama_get_logits_ith(self._context, -1)
        return np.ctypeslib.as_array(ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float)), (self._n_vocab,)).copy()

    def greedy(self, prompt: Sequence[int], count: int, ends: frozenset[int] = frozenset()) -> list[int]:
        """The most likely token, again and again, up to an end."""
        text = list(prompt)
        for _ in range(count):
            text.append(int(self.logits(text).argmax()))
            if text[-1] in ends:
                break
        return text[len(prompt) :]


@contextmanager
def raw_model(path: Path, n_ctx: int = 512) -> Iterator[RawModel]:
    """Load a file with the arithmetic that rounds least: an f32 cache, no flash attention, one thread."""
    silence()
    model = llama_cpp.llama_model_load_from_file(os.fsencode(path), llama_cpp.llama_model_default_params())
    parameters = llama_cpp.llama_context_default_params()
    parameters.n_ctx, parameters.n_threads, parameters.n_threads_batch = n_ctx, 1, 1
    parameters.type_k = parameters.type_v = llama_cpp.GGML_TYPE_F32
    parameters.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
    context = llama_cpp.llama_init_from_model(model, parameters)
    try:
        yield RawModel(model, context)
    finally:
        llama_cpp.llama_free(context)
        llama_cpp.llama_model_free(model)
