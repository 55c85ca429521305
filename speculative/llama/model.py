"""A model that llama.cpp runs: loaded from a GGUF file, fed with tokens, and freed again."""

import ctypes
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

import llama_cpp
import numpy as np

from ..errors import DecodeError
from ..interrupt import Interrupt
from ..kinds import check_kind
from ..model import Rows
from ..model_file import check_file, file_identity
from . import loading
from .backend import Backend, start_backend
from .batch import Batch
from .config import LlamaConfig
from .errors import decode_error
from .vocabulary import Vocabulary


class LlamaModel:
    """A model with a cache over one sequence: the `LanguageModel` of the loop.

    Everything C keeps a pointer to (callbacks, the batch) is held here and outlives the context. Whoever requests
    `interrupt` stops the pass that is running, on the CPU between two operations, elsewhere between two passes.
    """

    @classmethod
    def load(
        cls,
        path: Path,
        config: LlamaConfig | None = None,
        *,
        interrupt: Interrupt | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> "LlamaModel":
        """Load a GGUF file; of a file in several parts, the first.

        `on_progress` is called with the share that is loaded, 0 to 1.

        Raises `ModelLoadError`, or `Cancelled` when the loading was stopped.
        """
        config = config or LlamaConfig()
        interrupt = interrupt or Interrupt()
        backend = start_backend()
        backend.verbose = config.verbose
        backend.choose_kernels(config.tiled)
        check_file(path)
        identity = file_identity(path)
        model = loading.load_weights(path, config, backend, interrupt, on_progress)
        with ExitStack() as opened:
            opened.callback(llama_cpp.llama_model_free, model)
            check_kind(path, loading.kind_of(model))
            context, abort = loading.create_context(path, model, config, backend, interrupt)
            opened.callback(llama_cpp.llama_free, context)
            loaded = cls(path, identity, config, backend, interrupt, model, context, abort)
            opened.pop_all()
        backend.take_complaint()
        return loaded

    def twin(self) -> "LlamaModel":
        """The same model with a cache of its own over the same weights; close it before this one.

        Raises `ModelLoadError` where there is no memory for that.
        """
        context, abort = loading.create_context(self.path, self._model, self.config, self._backend, self.interrupt)
        twin = LlamaModel(
            self.path, self.identity, self.config, self._backend, self.interrupt, self._model, context, abort
        )
        twin._owns_weights = False
        return twin

    def __init__(
        self,
        path: Path,
        identity: str,
        config: LlamaConfig,
        backend: Backend,
        interrupt: Interrupt,
        model: "llama_cpp.llama_model_p",
        context: "llama_cpp.llama_context_p",
        abort: object,
    ) -> None:
        """Take over what `load` has made."""
        self.path = path
        self.identity = identity
        self.config = config
        self.interrupt = interrupt
        self.vocabulary = Vocabulary(loading.vocabulary_of(model))
        self.n_ctx_train = llama_cpp.llama_model_n_ctx_train(model)
        self.n_ctx = loading.context_size(model, config)
        self.n_layers = llama_cpp.llama_model_n_layer(model) + 1  # the output counts as one, as it does for -ngl
        self.size = llama_cpp.llama_model_size(model)  # bytes of all its tensors, in however many files
        self.n_batch = llama_cpp.llama_n_batch(context)
        self.max_rows = config.max_rows
        self.can_rollback = not (llama_cpp.llama_model_is_recurrent(model) or llama_cpp.llama_model_is_hybrid(model))
        self.has_experts = loading.has_experts(model)
        self._backend = backend
        self._model = model
        self._context = context
        self._memory = loading.memory_of(context)
        self._abort = abort
        self._batch = Batch(self.n_batch)
        self._cached: list[int] = []
        self._rows: Rows = np.empty((0, self.vocabulary.n_tokens), np.float32)
        self._rows_address = 0
        self._owns_weights = True
        self._closed = False

    @property
    def description(self) -> str:
        """What llama.cpp calls it: architecture, size and type of the weights."""
        buffer = ctypes.create_string_buffer(256)
        llama_cpp.llama_model_desc(self._model, buffer, len(buffer))
        return buffer.value.decode(errors="replace")

    @property
    def name(self) -> str:
        """The name of its file, which people chose it by; the one inside is often noise."""
        return self.path.stem

    def metadata(self, key: str) -> str | None:
        """The value of a key of the GGUF file as text, None if it has no such key."""
        return loading.metadata(self._model, key)

    @property
    def template(self) -> str | None:
        """The chat template that the file has."""
        return self.metadata("tokenizer.chat_template")

    @property
    def cached(self) -> list[int]:
        """The tokens that the cache holds now; not to be changed."""
        return self._cached

    def rollback(self, length: int) -> int:
        """Forget all but the first `length` cached tokens; returns how many are left."""
        if length < len(self._cached):
            self._forget_from(length)
        return len(self._cached)

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        """Append `tokens` to the cache; returns the logits after each of the last `n_logits`, shape (rows, vocabulary).

        The rows are a view of llama.cpp's own buffer: copy what must outlive the next call.

        Raises `Cancelled` or `DecodeError`; the cache then holds what it held before, or less.
        """
        self._check(len(tokens), n_logits)
        self.interrupt.check()
        start = len(self._cached)
        # Rows that are compared with each other come from one pass; what precedes them is read in passes of its own.
        lead = len(tokens) - n_logits if n_logits > 1 else len(tokens)
        try:
            for begin in range(0, lead, self.n_batch):
                end = min(begin + self.n_batch, lead)
                self._pass(tokens[begin:end], n_logits if end == len(tokens) else 0)
            if n_logits > 1:
                self._pass(tokens[lead:], n_logits)
        except BaseException:
            self._forget_from(start)
            raise
        return self._logits(n_logits)

    def _check(self, n_tokens: int, n_logits: int) -> None:
        """Keep out what would make llama.cpp abort the process."""
        if not 0 <= n_logits <= min(n_tokens, self.max_rows, self.n_batch) or n_tokens < 1:
            raise DecodeError(
                f"A pass over {n_tokens} tokens cannot return {n_logits} rows of logits; at most {self.max_rows} "
                f"rows fit, and {self.n_batch} tokens."
            )
        if len(self._cached) + n_tokens > self.n_ctx:
            raise DecodeError(
                f"{len(self._cached)} tokens are cached and {n_tokens} more do not fit the context of {self.n_ctx}.",
                f"Use a larger context: -c {len(self._cached) + n_tokens}",
            )

    def _pass(self, tokens: Sequence[int], n_logits: int) -> None:
        """Decode the tokens, and behind a short pass some that are forgotten again, which the others never see.

        What follows the last wanted row is wanted too: rows are computed together, and one alone might round otherwise.
        """
        self.interrupt.check()
        start, padding = len(self._cached), [0] * (self.config.min_pass - len(tokens))
        batch = self._batch.fill([*tokens, *padding], start, n_logits + len(padding) if n_logits else 0)
        code = llama_cpp.llama_decode(self._context, batch)
        if code != 0:
            raise decode_error(code, self._backend)
        self._cached.extend(tokens)
        if padding:
            self._cached.extend(padding)
            self._forget_from(start + len(tokens))

    def _logits(self, n_rows: int) -> Rows:
        if n_rows == 0:
            # Waits for the pass, so that time and errors belong to this call.
            llama_cpp.llama_synchronize(self._context)
            return self._rows[:0]
        pointer = llama_cpp.llama_get_logits(self._context)
        address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
        if address != self._rows_address:
            rows = self.max_rows + self.config.min_pass - 1
            self._rows = np.ctypeslib.as_array(pointer, (rows, self.vocabulary.n_tokens))
            self._rows_address = address
        return self._rows[:n_rows]

    def _forget_from(self, length: int) -> None:
        """Forget the cached tokens from `length` on, or all of them where the memory cannot stop there."""
        if self.can_rollback and llama_cpp.llama_memory_seq_rm(self._memory, 0, length, -1):
            del self._cached[length:]
        else:
            llama_cpp.llama_memory_clear(self._memory, True)
            self._cached.clear()

    def save_state(self) -> memoryview:
        """What the cache holds, as bytes of llama.cpp's `llama_state_seq_get_data`. Raises `DecodeError`."""
        size = llama_cpp.llama_state_seq_get_size(self._context, 0)
        state = (ctypes.c_uint8 * size)()
        if not size or llama_cpp.llama_state_seq_get_data(self._context, state, size, 0) != size:
            raise DecodeError(f"llama.cpp cannot hand out its state: {self._backend.take_complaint() or 'no reason'}.")
        return memoryview(state).cast("B")

    def load_state(self, tokens: Sequence[int], state: bytearray) -> bool:
        """Let the cache hold `tokens`, whose `state` a model that is loaded alike has saved.

        Where llama.cpp refuses it the cache is empty, and the answer False. It trusts the bytes: whoever calls has to
        know that they are the saved ones.
        """
        self._forget_from(0)
        if not 0 < len(tokens) <= self.n_ctx or not state:
            return False
        buffer = (ctypes.c_uint8 * len(state)).from_buffer(state)
        taken = llama_cpp.llama_state_seq_set_data(self._context, buffer, len(state), 0)
        last = llama_cpp.llama_memory_seq_pos_max(self._memory, 0)
        self._cached.extend(tokens)
        if taken != len(state) or last != len(tokens) - 1:
            self._backend.take_complaint()
            llama_cpp.llama_memory_clear(self._memory, True)
            self._cached.clear()
            return False
        return True

    def close(self) -> None:
        """Give the memory back; the second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        self._rows = self._rows[:0].copy()
        self._batch.close()
        llama_cpp.llama_free(self._context)
        if self._owns_weights:
            llama_cpp.llama_model_free(self._model)

    def __enter__(self) -> "LlamaModel":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
