"""GGUF headers written by hand, right ones and wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from struct import pack
from typing import Any

U32, I32, F32, BOOL, TEXT, ARRAY = 4, 5, 6, 7, 8, 9
Entry = tuple[str, Any]


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return pack("<Q", len(data)) + data


def array(kind: int, count: int, data: bytes = b"") -> bytes:
    return pack("<IIQ", ARRAY, kind, count) + data


def typed(value: Any) -> bytes:
    """A value behind the number of its kind; bytes are taken to be both already."""
    match value:
        case bytes():
            return value
        case bool():
            return pack("<I?", BOOL, value)
        case int():
            return pack("<II", U32, value)
        case float():
            return pack("<If", F32, value)
        case str():
            return pack("<I", TEXT) + text(value)
        case [int(), *_]:
            return array(I32, len(value), pack(f"<{len(value)}i", *value))
        case _:
            return array(TEXT, len(value), b"".join(map(text, value)))


def tensor(name: str, shape: Sequence[int] = (2,), kind: int = 0, offset: int = 0) -> bytes:
    return text(name) + pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def header(
    entries: Sequence[Entry] = (),
    tensors: Sequence[bytes] = (),
    *,
    version: int = 3,
    n_tensors: int | None = None,
    n_entries: int | None = None,
) -> bytes:
    counts = (len(tensors) if n_tensors is None else n_tensors, len(entries) if n_entries is None else n_entries)
    start = b"GGUF" + pack("<IQQ", version, *counts)
    return start + b"".join(text(key) + typed(value) for key, value in entries) + b"".join(tensors)


@dataclass
class Source:
    """A file in memory that counts what is read of it; an endless one repeats its data."""

    data: bytes
    endless: bool = False
    reads: list[int] = field(default_factory=list)

    def read(self, offset: int, size: int) -> bytes:
        part = self.data[offset : offset + size]
        if self.endless:
            part += self.data[-1:] * (size - len(part))
        self.reads.append(len(part))
        return part

    @property
    def total(self) -> int:
        return sum(self.reads)
