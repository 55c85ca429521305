"""A model that llama.cpp runs: loaded from a GGUF file, fed with tokens, and freed again."""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

import llama_cpp
import numpy as np

from ..errors import DecodeError, ServerError
from ..interrupt import Interrupt
from ..kinds import check_kind
from ..model import Rows
from ..model_file import check_file, file_identity
from . import loading
from .backend import Backend, start_backend
from .batch import Batch
from .calling import Call, call
from .config import LlamaConfig
from .errors import decode_error
from .memory import memory_of
from .rpc.connections import keep_alive
from .rpc.courier import RemoteCall
from .rpc.servers import connect
from .vocabulary import Vocabulary

_CARRIED = 4
"""So many tokens, read again, make a pass less dear than one more pass; again and again that adds up."""
_NO_NUMBER = "Another file of this model may do better, or --flash-attn off, or the CPU: -ngl 0."


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
        call: Call = call,
    ) -> "LlamaModel":
        """Load a GGUF file; of a file in several parts, the first.

        `on_progress` is called with the share that is loaded, 0 to 1; passes and the cache go through `call`.

        Raises `ModelLoadError`, `ServerError`, or `Cancelled` when the loading was stopped.
        """
        config = config or LlamaConfig()
        interrupt = interrupt or Interrupt()
        backend = start_backend()
        backend.verbose = config.verbose
        backend.choose_kernels(config.tiled)
        check_file(path)
        identity = file_identity(path)
        if config.rpc:
            connect(config.rpc, backend, interrupt)
            call = RemoteCall(interrupt)
        model, placing = call(loading.load_weights, path, config, backend, interrupt, on_progress)
        with ExitStack() as opened:
            opened.callback(call, llama_cpp.llama_model_free, model)
            check_kind(path, loading.kind_of(model))
            context, abort = call(loading.create_context, path, model, config, backend, interrupt)
            opened.callback(call, llama_cpp.llama_free, context)
            keep_alive(config.rpc)
            kept = (placing, abort)
            loaded = cls(path, identity, config, backend, interrupt, model, context, kept, call)
            opened.pop_all()
        backend.take_complaint()
        return loaded

    def twin(self) -> "LlamaModel":
        """The same model with a cache of its own over the same weights; close it before this one.

        Raises `ModelLoadError` where there is no memory for that.
        """
        context, abort = self._call(
            loading.create_context, self.path, self._model, self.config, self._backend, self.interrupt
        )
        twin = LlamaModel(
            self.path,
            self.identity,
            self.config,
            self._backend,
            self.interrupt,
            self._model,
            context,
            abort,
            self._call,
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
        kept: object,
        call: Call,
    ) -> None:
        """Take over what `load` has made; C has pointers into `kept`."""
        self.path = path
        self.identity = identity
        self.config = config
        self.interrupt = interrupt
        self.vocabulary = Vocabulary(loading.vocabulary_of(model))
        self.n_ctx_train = llama_cpp.llama_model_n_ctx_train(model)
        self.n_ctx = loading.context_size(model, config)
        self.n_layers = loading.n_layers(model)
        self.size = llama_cpp.llama_model_size(model)  # bytes of all its tensors, in however many files
        self.n_batch = llama_cpp.llama_n_batch(context)
        self.max_rows = config.max_rows
        self.has_experts = loading.has_experts(model)
        self._backend = backend
        self._model = model
        self._context = context
        self._call = call
        self._memory = memory_of(model, context, config, call)
        self._kept = kept
        self._batch = Batch(self.n_batch)
        self._cached: list[int] = []
        self._rows: Rows = np.empty((0, self.vocabulary.n_tokens), np.float32)
        self._rows_address = 0
        self._broken = False
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
    def can_rollback(self) -> bool:
        """Whether the cache can forget its last tokens alone."""
        return not self._memory.recurrent

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
        if not self._memory.holds(len(self._cached)):
            self._memory.clear()  # what it holds is not what we think, so it is good for nothing
            self._cached.clear()
        elif length < len(self._cached):
            del self._cached[self._memory.back_to(length, len(self._cached)) :]
        return len(self._cached)

    def nearest(self, length: int) -> int:
        """How many tokens `rollback` would leave."""
        return self._memory.nearest(length, len(self._cached))

    def takes_back(self, n_tokens: int) -> bool:
        """Whether the last `n_tokens` of a pass can be taken back without reading any again."""
        return self._memory.takes_back(n_tokens)

    def keep(self) -> None:
        """Keep a short way back to here, until the next call, for what is decoded from now on is not sure."""
        self._memory.keep(len(self._cached))

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        """Append `tokens` to the cache; returns the logits after each of the last `n_logits`, shape (rows, vocabulary).

        The rows are a view of llama.cpp's own buffer: copy what must outlive the next call.

        Raises `Cancelled` or `DecodeError`; the cache then holds what it held before, or less.
        """
        self._check(len(tokens), n_logits)
        self.interrupt.check()
        start = len(self._cached)
        try:
            for begin, end in self._pieces(len(tokens), n_logits):
                self._pass(tokens[begin:end], n_logits if end == len(tokens) else 0)
            return self._logits(n_logits)
        except BaseException:
            self._take_back(start)
            raise

    def _pieces(self, n_tokens: int, n_logits: int) -> Iterator[tuple[int, int]]:
        """What is read in passes of its own.

        Rows that are compared with each other come from one pass. What precedes them does not share it, save for the
        few tokens that a recurrent model reads again after a guess was wrong: a pass of their own is dearer.
        """
        lead = n_tokens - n_logits if n_logits > 1 else n_tokens
        if n_logits > 1 and lead <= min(_CARRIED, min(self.max_rows, self.n_batch) - n_logits):
            lead = 0
        for begin in range(0, lead, self.n_batch):
            yield begin, min(begin + self.n_batch, lead)
        if lead < n_tokens:
            yield lead, n_tokens

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
        start, padding = len(self._cached), [0] * self._memory.padding(self.config.min_pass - len(tokens))
        batch = self._batch.fill([*tokens, *padding], start, n_logits + len(padding) if n_logits else 0)
        self._memory.prepare(start, len(tokens), max(0, n_logits - 1))
        self._broken = True
        self._backend.take_complaint()  # of what came before, which was healed
        code = self._call(llama_cpp.llama_decode, self._context, batch)
        if code != 0:
            raise decode_error(code, self._backend)
        self._cached += [*tokens, *padding]
        self._memory.passed(batch.n_tokens)
        if padding:
            del self._cached[self._memory.back_to(start + len(tokens), len(self._cached)) :]
        if len(self._cached) != start + len(tokens) or not self._memory.holds(len(self._cached)):
            raise DecodeError(f"llama.cpp lost count of its cache, which should hold {start + len(tokens)} tokens.")
        self._broken = False

    def _logits(self, n_rows: int) -> Rows:
        if n_rows == 0:
            # Waits for the pass, so that time and errors belong to this call.
            self._call(llama_cpp.llama_synchronize, self._context)
            return self._rows[:0]
        pointer = self._call(llama_cpp.llama_get_logits, self._context)
        address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
        if address != self._rows_address:
            most = self.max_rows + self.config.min_pass - 1
            self._rows = np.ctypeslib.as_array(pointer, (most, self.vocabulary.n_tokens))
            self._rows_address = address
        rows: Rows = self._rows[:n_rows]
        if not np.isfinite(rows.max(axis=1)).all():
            self._broken = True
            raise DecodeError("The model computed something that is no number.", _NO_NUMBER)
        return rows

    def _take_back(self, length: int) -> None:
        """Take back all but the first `length` tokens after a pass that was stopped or failed, or more than those."""
        memory = self._memory
        left = memory.recover(length) if self._broken else memory.back_to(length, len(self._cached))
        self._broken = False
        del self._cached[left:]

    def save_state(self) -> memoryview:
        """What the cache holds, as bytes of llama.cpp's `llama_state_seq_get_data`. Raises `DecodeError`."""
        size = self._call(llama_cpp.llama_state_seq_get_size, self._context, 0)
        state = (ctypes.c_uint8 * size)()
        if not size or self._call(llama_cpp.llama_state_seq_get_data, self._context, state, size, 0) != size:
            raise DecodeError(f"llama.cpp cannot hand out its state: {self._backend.take_complaint() or 'no reason'}.")
        return memoryview(state).cast("B")

    def load_state(self, tokens: Sequence[int], state: bytearray) -> bool:
        """Let the cache hold `tokens`, whose `state` a model that is loaded alike has saved.

        Where llama.cpp refuses it the cache is empty, and the answer False. It trusts the bytes: whoever calls has to
        know that they are the saved ones.
        """
        self._take_back(0)
        if not 0 < len(tokens) <= self.n_ctx or not state:
            return False
        buffer = (ctypes.c_uint8 * len(state)).from_buffer(state)
        taken = self._call(llama_cpp.llama_state_seq_set_data, self._context, buffer, len(state), 0)
        if taken != len(state) or not self._memory.holds(len(tokens)):
            self._backend.take_complaint()
            self._memory.clear()
            return False
        self._cached.extend(tokens)
        return True

    def close(self) -> None:
        """Give the memory back; the second time nothing happens."""
        if self._closed:
            return
        self._closed = True
        self._rows = self._rows[:0].copy()
        self._batch.close()
        with suppress(ServerError):  # what a lost server is part of, nobody can free
            self._call(llama_cpp.llama_free, self._context)
            if self._owns_weights:
                self._call(llama_cpp.llama_model_free, self._model)

    def __enter__(self) -> "LlamaModel":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
