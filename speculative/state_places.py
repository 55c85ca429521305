"""Where states of models lie: in a file that a person named, or in a folder that keeps the latest ones."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from time import time

from .state_file import MOST_BYTES

_ENDING = ".state"
_LONG_AGO = 3600.0
"""Seconds after which nobody writes a file any more that is not whole."""


@dataclass(frozen=True, slots=True)
class StatePlace:
    """A file, or a folder of files of at most `limit` bytes together, of which those not used for longest go first.

    What is read in less than `least_seconds` is not kept. With `as_new` the next start says, to the last bit, what it
    would say without this; else it goes on as if it had never ended, and reads nothing twice.
    """

    path: Path
    is_folder: bool
    least_seconds: float
    as_new: bool
    limit: int = MOST_BYTES

    def found(self, key: str) -> list[Path]:
        """The files that may hold states of `key`."""
        if not self.is_folder:
            return [self.path] if os.path.lexists(self.path) else []
        return [path for path in kept_files(self.path) if path.name.startswith(_short(key))]

    def target(self, key: str, tokens: Sequence[int]) -> Path:
        """Where to write the state of `tokens`."""
        if not self.is_folder:
            return self.path
        return self.path / f"{_short(key)}-{_short(repr(list(tokens)))}{_ENDING}"

    def of_draft(self) -> "StatePlace":
        """Where the draft's states lie: in the same folder, or in a file beside the target's. Any of them can be used.

        Nothing that a draft does changes a text.
        """
        path = self.path if self.is_folder else self.path.with_name(f"{self.path.name}.draft")
        return replace(self, path=path, as_new=False)

    def used(self, path: Path) -> None:
        """A file was useful: it is not the next to go."""
        if self.is_folder:
            with suppress(OSError):
                os.utime(path)

    def useless(self, path: Path) -> None:
        """A file will never be useful again: in the folder it goes, what a person named stays."""
        if self.is_folder:
            with suppress(OSError):
                path.unlink()

    def tidy(self) -> None:
        """Remove what is too much, and what was left half written long ago."""
        if not self.is_folder:
            return
        left = self.limit
        for _, size, path in sorted(_states_of(kept_files(self.path)), reverse=True):
            left -= size
            if left < 0:
                self.useless(path)
        for _, _, path in filter(lambda state: state[0] < time() - _LONG_AGO, _states_of(_half_written(self.path))):
            self.useless(path)


def kept_files(folder: Path) -> list[Path]:
    """The states in a folder; none where it cannot be looked into."""
    return [path for path in _files(folder) if path.suffix == _ENDING and not path.name.startswith(".")]


def kept_bytes(folder: Path) -> int:
    """The size of all states in a folder."""
    return sum(size for _, size, _ in _states_of(kept_files(folder)))


def _half_written(folder: Path) -> list[Path]:
    return [path for path in _files(folder) if path.name.startswith(".")]


def _files(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _states_of(paths: Iterable[Path]) -> Iterator[tuple[float, int, Path]]:
    """When a file was last used, its size, and the file, for those that are still there."""
    for path in paths:
        with suppress(OSError):
            state = path.stat()
            yield state.st_mtime, state.st_size, path


def _short(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()[:20]
