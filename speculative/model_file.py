"""A model's file before anything in it is read: which one it is, and what can be wrong with it."""

import os
from pathlib import Path
from typing import BinaryIO

from .errors import ModelLoadError

MAGIC = b"GGUF"
_NO_TRACE = getattr(os, "O_NOATIME", 0)  # of Linux alone


def open_quietly(path: Path) -> BinaryIO:
    """The file, open for reading. When a model was last used is when the system last saw it read: this leaves no trace.

    Raises `OSError`.
    """
    return open(path, "rb", opener=_opened)


def _opened(path: str, flags: int) -> int:
    try:
        return os.open(path, flags | _NO_TRACE)
    except PermissionError:  # only the owner of a file may leave no trace
        return os.open(path, flags)


def file_identity(path: Path) -> str:
    """A file, as long as it is not written again. Raises `OSError` where there is none."""
    state = path.stat()
    return f"{path.resolve()} {state.st_size} {state.st_mtime_ns}"


def check_file(path: Path) -> None:
    """Raise `ModelLoadError` for everything that is not a GGUF file."""
    try:
        exists = path.exists()
    except OSError as error:
        raise ModelLoadError(f"{path} cannot be looked at: {error.strerror}.", "Check the path.") from error
    if not exists:
        raise ModelLoadError(
            f"There is no model file {path}.", "Check the path; a profile is named with --profile NAME."
        )
    if path.is_dir():
        raise ModelLoadError(f"{path} is a folder, not a model file.", "Name the .gguf file inside it.")
    if not path.is_file():  # a pipe would be waited for
        raise ModelLoadError(f"{path} is not a regular file.", "Models are read from files on a disk.")
    try:
        with open_quietly(path) as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise ModelLoadError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
    check_magic(str(path), start)


def check_magic(name: str, start: bytes) -> None:
    """Raise `ModelLoadError` unless the `start` of a file, of four bytes or more, is that of a GGUF file."""
    if not start:
        raise ModelLoadError(f"{name} is empty.", "Download it again.")
    if start[: len(MAGIC)] != MAGIC:
        raise ModelLoadError(
            f"{name} is not a GGUF file: it starts with {start[: len(MAGIC)].decode('latin-1')!r}, not with 'GGUF'.",
            "Only models in llama.cpp's GGUF format can be loaded.",
        )
