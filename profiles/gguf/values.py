"""The values of a GGUF header. Arrays stay bytes until somebody asks for what is in them."""

import struct
from dataclasses import dataclass

from .cursor import LENGTH, Cursor, split_texts

TEXT, ARRAY = 8, 9
_LETTERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
NUMBERS = {kind: struct.Struct(f"<{letter}") for kind, letter in _LETTERS.items()}


@dataclass(frozen=True, slots=True)
class GgufArray:
    """`count` values of one kind."""

    kind: int
    count: int
    data: bytes

    def texts(self) -> list[bytes]:
        """The strings; none where it holds numbers."""
        return split_texts(self.data, self.count) if self.kind == TEXT else []

    def numbers(self) -> tuple[int | float, ...]:
        """The numbers; none where it holds strings."""
        return () if self.kind == TEXT else struct.unpack(f"<{self.count}{_LETTERS[self.kind]}", self.data)


Value = int | float | str | GgufArray


def read_value(cursor: Cursor, kind: int) -> Value:
    """The value of this kind at the cursor. Raises `ModelLoadError`."""
    if kind == TEXT:
        return cursor.text().decode(errors="replace")
    if kind == ARRAY:
        return _read_array(cursor)
    return cursor.number(_form(cursor, kind))


def _read_array(cursor: Cursor) -> GgufArray:
    kind, count = int(cursor.number(NUMBERS[4])), int(cursor.number(LENGTH))
    data = cursor.texts(count) if kind == TEXT else cursor.take(count * _form(cursor, kind).size)
    return GgufArray(kind, count, data)


def _form(cursor: Cursor, kind: int) -> struct.Struct:
    if kind not in NUMBERS:  # also arrays of arrays, which llama.cpp does not read either
        raise cursor.damaged(f"there is no kind of value {kind}")
    return NUMBERS[kind]
