"""A standard error that may be closed, full or gone: nobody can be told, and nothing else changes."""

import io
import os
from typing import Any, TextIO

_STDERR = 2


class _Unheard(io.FileIO):
    """A file whose failures are lost with what was written."""

    def write(self, data: Any) -> int:
        """Write what can be written, and say that it was all."""
        try:
            return super().write(data) or len(data)  # None: it would have to wait
        except OSError:
            return len(data)


def forgiving(stream: TextIO | None) -> TextIO:
    """`stream` in UTF-8, without its errors; for a closed one, something that swallows all text."""
    if stream is None:  # a file that is opened later may get the number of a closed stream, so that is taken
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != _STDERR:
            os.dup2(nowhere, _STDERR)
            os.close(nowhere)
    raw = _Unheard(_STDERR if stream is None else stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)
