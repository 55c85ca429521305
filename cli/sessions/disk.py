"""Files that only their owner may read, written without a buffer: what was written stays when the process is killed."""

import os
from contextlib import suppress
from pathlib import Path

_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would write its own line ends


def make_folder(folder: Path) -> None:
    """Make a folder that only its owner may look into, if it is not there. Raises `OSError`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def open_new(path: Path) -> int:
    """Make a file and open it for more. Raises `FileExistsError` and other `OSError`s."""
    return os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)


def open_existing(path: Path) -> int:
    """Open a file for more. Raises `OSError`."""
    return os.open(path, os.O_RDWR | os.O_APPEND | _BINARY)


def open_empty(path: Path) -> int:
    """Open a file for other content than it may have. Raises `OSError`."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600)


def write_all(handle: int, data: bytes) -> None:
    """Write all of `data` at the end of an open file. Raises `OSError`, and then none of it is there, if possible."""
    end = os.fstat(handle).st_size
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):
            os.ftruncate(handle, end)
        raise


def set_aside(data: bytes, path: Path) -> None:
    """Put `data` at the end of a file and see that it is on the disk. Raises `OSError`."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY, 0o600)
    try:
        write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)
