"""A standard error that may be closed, full or gone: nobody can be told, and nothing else changes."""

import io
import os
from typing import Any, TextIO


class _Unheard(io.FileIO):
    """A file whose failures are lost with what was written."""

    def write(self, data: Any) -> int:
        """Write what can be written, and say that it was all."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def forgiving(stream: TextIO | None) -> TextIO:
    """`stream` in UTF-8, without its errors; for a closed one, something that swallows all text."""
    # a file that is opened later may get the number of a closed stream, so that has to be taken
    number = os.open(os.devnull, os.O_WRONLY) if stream is None else stream.fileno()
    raw = _Unheard(number, "wb", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)
