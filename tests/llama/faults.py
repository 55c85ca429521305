"""llama.cpp that fails now and then, in the ways in which it does."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import llama_cpp
import numpy as np

_CODES = (1, 2, -1, -2, -3)


@dataclass
class Faults:
    """Passes calls on; about each `rarity`-th of those that can fail does, chosen by `chance`."""

    chance: Random
    rarity: int
    on: bool = True
    failed: int = 0

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if not self.on or function.__name__ not in _WAYS or self.chance.randrange(self.rarity):
            return function(*arguments)
        self.failed += 1
        return _WAYS[function.__name__](self.chance, function, *arguments)


def _decode(chance: Random, decode: Callable[..., int], context: Any, batch: Any) -> int:
    code = chance.choice(_CODES)
    if code in (2, -2, -3):  # it was at work already
        first, memory = batch.pos[0], llama_cpp.llama_get_memory(context)
        decode(context, batch)
        llama_cpp.llama_memory_seq_rm(memory, 0, first, -1)
    return code


def _position(chance: Random, position: Callable[..., int], memory: Any, sequence: int) -> int:
    if chance.randrange(2):
        llama_cpp.llama_memory_clear(memory, True)  # somebody else did that
        return position(memory, sequence)
    return position(memory, sequence) + chance.choice((-1, 1, 7))


def _logits(chance: Random, logits: Callable[..., Any], context: Any) -> Any:
    pointer = logits(context)
    number = np.float32(chance.choice((float("nan"), float("inf"))))
    ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float))[0] = number
    return pointer


def _restore(
    chance: Random, restore: Callable[..., int], context: Any, data: Any, size: int, sequence: int, flags: int
) -> int:
    return restore(context, data, chance.randrange(size), sequence, flags)


_WAYS: dict[str, Callable[..., Any]] = {
    "llama_decode": _decode,
    "llama_get_logits": _logits,
    "llama_memory_seq_rm": lambda chance, function, *arguments: False,
    "llama_memory_seq_pos_max": _position,
    "llama_memory_seq_pos_min": _position,
    "llama_state_seq_get_size_ext": lambda chance, function, *arguments: 0,
    "llama_state_seq_get_data_ext": lambda chance, function, *arguments: 0,
    "llama_state_seq_set_data_ext": _restore,
}
