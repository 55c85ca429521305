"""The tokens of one pass, in the form that llama.cpp reads."""

from collections.abc import Sequence

import llama_cpp
import numpy as np


class Batch:
    """One allocation for all passes, filled through numpy views: a pass costs microseconds, not one for each token."""

    def __init__(self, n_batch: int) -> None:
        self._batch: llama_cpp.llama_batch = llama_cpp.llama_batch_init(n_batch, 0, 1)
        self._tokens = np.ctypeslib.as_array(self._batch.token, (n_batch,))
        self._positions = np.ctypeslib.as_array(self._batch.pos, (n_batch,))
        self._wanted = np.ctypeslib.as_array(self._batch.logits, (n_batch,))
        for index in range(n_batch):
            self._batch.n_seq_id[index] = 1
            self._batch.seq_id[index][0] = 0

    def fill(self, tokens: Sequence[int], start: int, n_logits: int) -> "llama_cpp.llama_batch":
        """A batch of `tokens` at the positions from `start` on, with logits wanted of the last `n_logits`."""
        count = len(tokens)
        self._tokens[:count] = tokens
        self._positions[:count] = np.arange(start, start + count, dtype=np.int32)
        self._wanted[: count - n_logits] = 0
        self._wanted[count - n_logits : count] = 1
        self._batch.n_tokens = count
        return self._batch

    def close(self) -> None:
        """Free the allocation."""
        llama_cpp.llama_batch_free(self._batch)
