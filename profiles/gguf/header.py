"""From the first megabytes of a GGUF file to its header.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Protocol

from specchat.speculative.errors import ModelLoadError
from specchat.speculative.model_file import MAGIC, check_file, check_magic, open_quietly

from .cursor import LENGTH, LIMIT, Cursor
from .values import NUMBERS, GgufArray, Value, read_value

_VERSIONS = (2, 3)
_ALIGNMENT = "general.alignment"
_MOST_DIMENSIONS = 4
_MOST_WEIGHTS = 2**63
_LEAST_ENTRY, _LEAST_TENSOR = 13, 24
"""Bytes of the shortest possible entries."""
_WORD = NUMBERS[4]
_SHOWN = 80
"""Characters of a text that a sentence repeats."""


class ByteSource(Protocol):
    """A file, wherever it is."""

    def read(self, offset: int, size: int) -> bytes:
        """`size` bytes from `offset` on, fewer only where the file ends. Raises `SpecchatError`."""


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file on this machine; reading its header does not count as a use of it."""

    path: Path

    def read(self, offset: int, size: int) -> bytes:
        """Part of the file. Raises `ModelLoadError` for what is no readable GGUF file."""
        check_file(self.path)
        try:
            with open_quietly(self.path) as file:
                file.seek(offset)
                return file.read(size)
        except OSError as error:
            raise ModelLoadError(f"{self.path} cannot be read: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where weights lie: `offset` counts from the end of the header, `kind` is ggml's number of their type."""

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """All of a GGUF file but the weights, which start after `size` bytes. Errors call the file `name`."""

    name: str
    version: int
    metadata: Mapping[str, Value]
    tensors: tuple[Tensor, ...]
    size: int

    def text(self, key: str) -> str | None:
        """The string under a key; None where there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, str) else None

    def integer(self, key: str) -> int | None:
        """The whole number under a key; None where there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, int) else None

    def array(self, key: str) -> GgufArray | None:
        """The array under a key; None where there is none."""
        value = self.metadata.get(key)
        return value if isinstance(value, GgufArray) else None


def read_header(source: ByteSource, name: str = "This file") -> GgufHeader:
    """Read the header of `source`, which errors call `name`.

    At most 64 KiB or a tenth of the header is read beyond it, and never more than 32 MiB. Raises `ModelLoadError` for
    what is no GGUF file or a damaged one, and whatever reading raises.
    """
    cursor = Cursor(source.read, name)
    version = _version(cursor)
    n_tensors, n_entries = int(cursor.number(LENGTH)), int(cursor.number(LENGTH))
    if n_tensors * _LEAST_TENSOR + n_entries * _LEAST_ENTRY > LIMIT:
        raise cursor.damaged(f"it counts {n_tensors} tensors and {n_entries} keys")
    metadata: dict[str, Value] = {}
    for _ in range(n_entries):
        key = cursor.text().decode(errors="replace")
        if key in metadata:
            raise cursor.damaged(f"it has the key {shortened(key)} twice")
        metadata[key] = read_value(cursor, int(cursor.number(_WORD)))
    tensors: dict[str, Tensor] = {}
    for _ in range(n_tensors):
        tensor = _tensor(cursor)
        if tensor.name in tensors:
            raise cursor.damaged(f"it has the tensor {shortened(tensor.name)} twice")
        tensors[tensor.name] = tensor
    return GgufHeader(name, version, metadata, tuple(tensors.values()), _end(cursor, metadata))


def shortened(text: str) -> str:
    """As much of a text out of a header as fits in a sentence."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _version(cursor: Cursor) -> int:
    check_magic(cursor.name, cursor.take(len(MAGIC)))
    version = int(cursor.number(_WORD))
    if version and version & 0xFFFF == 0:
        raise ModelLoadError(
            f"{cursor.name} was written for big-endian machines, and llama.cpp reads a model only on such a one.",
            "Take a file without big-endian (or -be) in its name.",
        )
    if version not in _VERSIONS:
        age = "older" if version < min(_VERSIONS) else "newer"
        raise ModelLoadError(
            f"{cursor.name} is in version {version} of the GGUF format, {age} than llama.cpp reads.",
            "Look for a file that was converted again." if age == "older" else "A newer specchat may read it.",
        )
    return version


def _tensor(cursor: Cursor) -> Tensor:
    name = cursor.text().decode(errors="replace")
    n_dimensions = int(cursor.number(_WORD))
    if n_dimensions > _MOST_DIMENSIONS:
        raise cursor.damaged(f"the tensor {shortened(name)} has {n_dimensions} dimensions")
    shape = tuple(int(cursor.number(LENGTH)) for _ in range(n_dimensions))
    if prod(shape) >= _MOST_WEIGHTS:
        raise cursor.damaged(f"the tensor {shortened(name)} has the shape {shape}")
    return Tensor(name, shape, int(cursor.number(_WORD)), int(cursor.number(LENGTH)))


def _end(cursor: Cursor, metadata: Mapping[str, Value]) -> int:
    """Where the weights start."""
    alignment = metadata.get(_ALIGNMENT, 32)
    if not isinstance(alignment, int) or alignment <= 0 or alignment & (alignment - 1):
        raise cursor.damaged(f"{_ALIGNMENT} is no power of two")
    return -(-cursor.position // alignment) * alignment
