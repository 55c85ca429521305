"""Reading files without leaving a trace: when a model was last used is when the system last saw it read."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from specchat.speculative.errors import ModelLoadError

_NO_TRACE = getattr(os, "O_NOATIME", 0)  # of Linux alone


def open_quietly(path: Path) -> BinaryIO:
    """The file, open for reading. Raises `OSError`."""
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    try:
        return os.open(path, flags | _NO_TRACE)
    except PermissionError:  # only the owner of a file may leave no trace
        return os.open(path, flags)


@dataclass(frozen=True, slots=True)
class QuietBytes:
    """The bytes of a file, for reading its header."""

    path: Path

    def read(self, offset: int, size: int) -> bytes:
        """Part of the file. Raises `ModelLoadError` where it cannot be read."""
        try:
            with open_quietly(self.path) as file:
                file.seek(offset)
                return file.read(size)
        except OSError as error:
            raise ModelLoadError(f"{self.path} cannot be read: {error.strerror}.", "Check its permissions.") from error
