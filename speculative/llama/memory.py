"""What a context of llama.cpp remembers of one sequence of tokens, and how it gets back to an earlier place."""

import ctypes
from dataclasses import dataclass, field

import llama_cpp
import numpy as np

from .calling import Call
from .checkpoints import Checkpoints, State

_PARTIAL = llama_cpp.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY
"""What cannot be taken back token by token, without the keys and values of attention, which can."""
_LONG = 16
"""Fewer tokens are read again rather than saved."""
_SELDOM = 128
"""So many tokens are generated at most without a way back to one of them."""
_SHARE = 8
"""Checkpoints may take one byte for so many of the weights."""
_BYTES = ctypes.POINTER(ctypes.c_uint8)


@dataclass(slots=True, kw_only=True)
class Memory:
    """The memory of a context over sequence 0, whose tokens stand at the positions from 0 on.

    An attention's memory forgets any number of tokens. With a sliding window of `window` tokens, what it has dropped
    behind the window is missed further back: what did not fit a cache of little more, or is in no state that was saved,
    however large the cache. A `recurrent` one has a single state: some architectures keep a snapshot of it after each
    of the last tokens of a pass (`n_rs_seq`), good for one step back before the next pass. All others, and longer ways
    back, need a checkpoint: a copy of the state, from which the rest is read again, as in llama.cpp's tools/server.
    """

    context: "llama_cpp.llama_context_p"
    memory: "llama_cpp.llama_memory_t"
    call: Call
    recurrent: bool
    window: int
    n_snapshots: int
    checkpoints: Checkpoints
    _snapshots: int = field(init=False, default=0)
    """How many tokens the snapshots go back now."""

    def holds(self, length: int) -> bool:
        """Whether its last token is the one before `length`, as far as llama.cpp knows."""
        last: int = self.call(llama_cpp.llama_memory_seq_pos_max, self.memory, 0)
        return last == length - 1

    def passed(self, n_tokens: int) -> None:
        """Note that a pass over so many tokens has succeeded: there is a snapshot after each, as far as they go."""
        if self.recurrent:
            self._snapshots = min(self.n_snapshots, n_tokens - 1)

    def takes_back(self, n_tokens: int) -> bool:
        """Whether the last `n_tokens` of a pass can be taken back without reading any again."""
        return not self.recurrent or n_tokens <= self.n_snapshots

    def prepare(self, length: int, n_tokens: int, guesses: int) -> None:
        """Before a pass over `n_tokens` from `length` on, where it is now, the last `guesses` of them guesses.

        A way back is kept open to where guesses begin; to where much is read, for long; and now and then to the end of
        what is generated, since a pass that is stopped leaves a state that is good for nothing.
        """
        if not self.recurrent or length == 0:
            return
        if n_tokens >= _LONG and not guesses:
            self.checkpoints.keep(length, self._save)
        elif guesses > self.n_snapshots or length - self._last(length) >= _SELDOM:
            self.keep(length)

    def keep(self, length: int) -> None:
        """Keep a way back to `length`, where it is now, until one is kept somewhere else."""
        if self.recurrent and length:
            self.checkpoints.guess(length, self._save)

    def nearest(self, length: int, now: int) -> int:
        """How many tokens would be left if all but the first `length` were taken back of the `now` that it holds."""
        if length >= now:
            return now
        if not self.recurrent:
            return length if self._reaches(length) else 0
        if length and now - length <= self._snapshots:
            return length
        return self._last(length)

    def back_to(self, length: int, now: int) -> int:
        """Take back all but the first `length` of the `now` tokens that it holds; returns how many are left."""
        nearest = self.nearest(length, now)
        self.checkpoints.cut(nearest)
        if nearest == length and (not self.recurrent or now - length <= self._snapshots) and self._forget(length):
            self._snapshots = 0
            return length
        return self.recover(nearest)

    def recover(self, length: int) -> int:
        """Go back to a place up to `length` whatever state it is in, as after a failed pass; returns the place."""
        self._snapshots = 0
        self.checkpoints.cut(length)
        found = self.checkpoints.last(length)
        if not self.recurrent:
            if length and self._reaches(length) and self._forget(length):
                return length
        elif found is not None and self._restore(found[1]) and self._forget(found[0]) and self.holds(found[0]):
            return found[0]
        self.clear()
        return 0

    def padding(self, wanted: int) -> int:
        """How many tokens a pass can be padded with: all that are `wanted`, or none."""
        return wanted if self.takes_back(wanted) else 0

    def clear(self) -> None:
        """Forget everything."""
        self._snapshots = 0
        self.checkpoints.cut(0)
        self.call(llama_cpp.llama_memory_clear, self.memory, True)

    def _last(self, length: int) -> int:
        found = self.checkpoints.last(length)
        return found[0] if found else 0

    def _reaches(self, length: int) -> bool:
        """Whether the window before `length` is whole, so that tokens from there on can be taken back."""
        if not self.window:
            return True
        first: int = self.call(llama_cpp.llama_memory_seq_pos_min, self.memory, 0)
        return 0 <= first <= max(0, length - self.window)

    def _forget(self, length: int) -> bool:
        return bool(self.call(llama_cpp.llama_memory_seq_rm, self.memory, 0, length, -1))

    def _save(self, buffer: State | None) -> State | None:
        size = self.call(llama_cpp.llama_state_seq_get_size_ext, self.context, 0, _PARTIAL)
        state = buffer if buffer is not None and len(buffer) == size else np.empty(size, np.uint8)
        pointer = state.ctypes.data_as(_BYTES)
        written = self.call(llama_cpp.llama_state_seq_get_data_ext, self.context, pointer, size, 0, _PARTIAL)
        return state if written == size > 0 else None

    def _restore(self, state: State) -> bool:
        pointer = state.ctypes.data_as(_BYTES)
        read = self.call(llama_cpp.llama_state_seq_set_data_ext, self.context, pointer, len(state), 0, _PARTIAL)
        return bool(read == len(state))


def memory_of(model: "llama_cpp.llama_model_p", context: "llama_cpp.llama_context_p", call: Call) -> Memory:
    """The memory of a context that has one."""
    memory: llama_cpp.llama_memory_t | None = llama_cpp.llama_get_memory(context)
    assert memory is not None
    return Memory(
        context=context,
        memory=memory,
        call=call,
        recurrent=llama_cpp.llama_model_is_recurrent(model) or llama_cpp.llama_model_is_hybrid(model),
        window=llama_cpp.llama_model_n_swa(model),
        n_snapshots=llama_cpp.llama_n_rs_seq(context),
        checkpoints=Checkpoints(llama_cpp.llama_model_size(model) // _SHARE),
    )
