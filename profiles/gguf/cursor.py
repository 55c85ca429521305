"""Reading a header front to back, with little more of the file fetched than the header."""

import struct
from collections.abc import Callable

from specchat.speculative.errors import ModelLoadError

LIMIT = 32 << 20
"""Bytes of a header; the largest known ones have 12 MB."""
_FIRST = 64 << 10
_SHARE = 10
"""Of what is known to be needed, this part more is fetched along with it."""
LENGTH = struct.Struct("<Q")


class Cursor:
    """A place in a file, which is fetched by `read(offset, size)` as far as that place needs.

    Raises `ModelLoadError` with a sentence about `name` when the file ends, or goes on beyond `LIMIT`.
    """

    def __init__(self, read: Callable[[int, int], bytes], name: str) -> None:
        self.position = 0
        self.name = name
        self._read = read
        self._data = bytearray()

    def take(self, size: int) -> bytes:
        """The next `size` bytes."""
        self._reach(self.position + size)
        start, self.position = self.position, self.position + size
        return bytes(self._data[start : self.position])

    def number(self, form: struct.Struct) -> int | float:
        """The next number."""
        [value] = form.unpack(self.take(form.size))
        return value  # type: ignore[no-any-return]

    def text(self) -> bytes:
        """The next string, which follows its length."""
        return self.take(int(self.number(LENGTH)))

    def texts(self, count: int) -> bytes:
        """The next `count` strings with their lengths; `split_texts` takes them apart."""
        start, data, length = self.position, self._data, LENGTH.unpack_from
        end, left = start, count
        while left:
            self._reach(end + LENGTH.size * left)
            try:
                while left:
                    end += LENGTH.size + length(data, end)[0]
                    left -= 1
            except (struct.error, OverflowError):  # beyond what is fetched
                continue
        self._reach(end)
        self.position = end
        return bytes(data[start:end])

    def damaged(self, reason: str) -> ModelLoadError:
        """An error about what the file says."""
        return ModelLoadError(f"The header of {self.name} is damaged: {reason}.", "Download it again.")

    def _reach(self, end: int) -> None:
        """Fetch at least up to `end`, which the header is known to reach."""
        if end > LIMIT:
            raise self.damaged(f"it would be longer than {LIMIT >> 20} MiB")
        have = len(self._data)
        if end <= have:
            return
        wanted = min(LIMIT, max(_FIRST, end + end // _SHARE))
        self._data += self._read(have, wanted - have)
        if len(self._data) < end:
            raise ModelLoadError(
                f"{self.name} ends after {len(self._data)} bytes, in the middle of its header.",
                "The file is incomplete: download it again.",
            )


def split_texts(data: bytes, count: int) -> list[bytes]:
    """The strings that `Cursor.texts` read."""
    texts, place, length = [], 0, LENGTH.unpack_from
    for _ in range(count):
        start = place + LENGTH.size
        place = start + length(data, place)[0]
        texts.append(data[start:place])
    return texts
