"""The state of a model in a file: nothing of it is given to llama.cpp before all of it is known to be whole.

A head of fixed size, the tokens that the state is of, a checksum over both, the state, and a checksum over all that.
"""

import os
import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import BinaryIO

from .files import write_pieces

MOST_BYTES = 4_000_000_000
"""Of a state, and of all that are kept in a folder."""
_MAGIC = b"specchat state\r\n"
_FORMAT = 1
_HEAD = struct.Struct("<16sI32sIIdQ")
_SUM = 32
_TOKEN = array("i").itemsize
_PIECE = 1 << 24
_SLOWEST = 3600.0


class UnusableState(Exception):
    """Why a file cannot be used, to stand behind its name; a `foreign` one is not ours to replace."""

    def __init__(self, reason: str, *, foreign: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.foreign = foreign


@dataclass(frozen=True, slots=True)
class KeptTokens:
    """What a state is of: the first `whole` of the `tokens` were read in the passes of a prompt alone.

    Reading took `seconds` a token, and the state has `size` bytes.
    """

    tokens: Sequence[int]
    whole: int
    seconds: float
    size: int


Watch = Callable[[float], None]
"""Called before each piece with the share of a state that is done, 0 to 1; what it raises ends the work."""


def _unwatched(share: float) -> None:
    """Nobody waits."""


def write_state(path: Path, key: str, kept: KeptTokens, state: memoryview, watch: Watch = _unwatched) -> None:
    """Write a state for whoever has the same `key`. Raises `OSError`; nothing is left behind then."""
    beginning = _head(key, kept) + array("i", kept.tokens).tobytes()
    write_pieces(path, _summed(beginning + _sum(beginning), state, watch))


def read_tokens(path: Path, key: str) -> KeptTokens:
    """What the state in a file is of, which is verified; the state is not. Raises `UnusableState`."""
    with _opened(path) as file:
        return _parsed(file, key)[1]


def read_state(path: Path, key: str, watch: Watch = _unwatched) -> tuple[KeptTokens, bytearray]:
    """A state with what it is of, all of it verified. Raises `UnusableState`, and what `watch` raises meanwhile."""
    with _opened(path) as file:
        beginning, kept = _parsed(file, key)
        total = blake2b(beginning, digest_size=_SUM)
        try:
            state = bytearray(kept.size)
        except MemoryError as error:
            raise UnusableState("is too large for the memory", foreign=True) from error
        try:
            for piece in _pieces(memoryview(state), watch):
                if file.readinto(piece) != len(piece):  # type: ignore[attr-defined]
                    raise UnusableState("is cut off")
                total.update(piece)
            expected = file.read(_SUM)
        except OSError as error:
            raise UnusableState(f"cannot be read: {error.strerror}") from error
    if total.digest() != expected:
        raise UnusableState("is damaged")
    return kept, state


def _head(key: str, kept: KeptTokens) -> bytes:
    return _HEAD.pack(_MAGIC, _FORMAT, _digest(key), len(kept.tokens), kept.whole, kept.seconds, kept.size)


def _sum(content: bytes) -> bytes:
    return blake2b(content, digest_size=_SUM).digest()


def _digest(key: str) -> bytes:
    return sha256(key.encode(errors="surrogateescape")).digest()


def _summed(beginning: bytes, state: memoryview, watch: Watch) -> Iterator[bytes | memoryview]:
    """The beginning, the state in pieces, and the checksum of both behind them."""
    total = blake2b(beginning, digest_size=_SUM)
    yield beginning
    for piece in _pieces(state, watch):
        total.update(piece)
        yield piece
    yield total.digest()


def _pieces(whole: memoryview, watch: Watch) -> Iterator[memoryview]:
    for start in range(0, len(whole), _PIECE):
        watch(start / len(whole))
        yield whole[start : start + _PIECE]


def _opened(path: Path) -> BinaryIO:
    """The file. A pipe would be waited for, a device never ends. Raises `UnusableState`."""
    try:
        if not path.is_file():
            raise UnusableState("is not a file", foreign=True)
        return path.open("rb")
    except OSError as error:
        raise UnusableState(f"cannot be read: {error.strerror}", foreign=True) from error


def _parsed(file: BinaryIO, key: str) -> tuple[bytes, KeptTokens]:
    """The bytes before the state, and what they say. Raises `UnusableState`."""
    try:
        length = os.fstat(file.fileno()).st_size
        head = file.read(_HEAD.size)
        if not length:
            raise UnusableState("is empty")
        if head[: len(_MAGIC)] != _MAGIC:
            raise UnusableState("holds something else", foreign=True)
        if len(head) < _HEAD.size:
            raise UnusableState("is cut off")
        _, version, digest, n_tokens, whole, seconds, size = _HEAD.unpack(head)
        if version != _FORMAT:
            raise UnusableState("is of another version of specchat")
        if digest != _digest(key):
            raise UnusableState("is of another model, other settings or another machine")
        if length != _HEAD.size + n_tokens * _TOKEN + _SUM + size + _SUM or not size:
            raise UnusableState("is cut off or damaged")
        if whole > n_tokens or not 0 <= seconds <= _SLOWEST or size > MOST_BYTES:
            raise UnusableState("is damaged")
        content = file.read(n_tokens * _TOKEN)
        expected = file.read(_SUM)
    except OSError as error:
        raise UnusableState(f"cannot be read: {error.strerror}") from error
    if expected != _sum(head + content):
        raise UnusableState("is damaged")
    return head + content + expected, KeptTokens(array("i", content).tolist(), whole, seconds, size)
