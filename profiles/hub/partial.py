"""The part of a file that has arrived: it grows, outlives a killed process, and is nothing till it is whole."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import FetchError
from .files import RemoteFile

_BLOCK = 1 << 20


@dataclass(slots=True)
class Partial:
    """An open partial file: `done` of its bytes are on the disk and in the checksum."""

    file: RemoteFile
    stream: BinaryIO
    checksum: Any
    done: int = 0

    @classmethod
    def resume(cls, file: RemoteFile, path: Path) -> "Partial":
        """Open what is at `path` to go on with it; what is no beginning of the file is thrown away."""
        path.touch()
        partial = cls(file, path.open("r+b", buffering=0), file.checksum())
        if path.stat().st_size > file.size:
            partial.start_over()
        while block := partial.stream.read(_BLOCK):
            partial.checksum.update(block)
            partial.done += len(block)
        return partial

    def start_over(self) -> None:
        """Forget what has arrived."""
        self.stream.seek(0)
        self.stream.truncate()
        self.checksum, self.done = self.file.checksum(), 0

    def add(self, block: bytes) -> None:
        """Append to it. Nothing stays in memory: a kill takes only what was on its way."""
        if self.done + len(block) > self.file.size:
            raise FetchError(
                f"More came than {self.file.path} holds: {self.file.size} bytes.", "Type the command again."
            )
        rest = memoryview(block)
        while rest:
            written = self.stream.write(rest)  # unbuffered: on a full disk it may be less than all
            self.checksum.update(rest[:written])
            self.done += written
            rest = rest[written:]

    def finish(self, destination: Path) -> None:
        """Give the whole file its final name. Raises `FetchError`, and throws it away, if its checksum is wrong."""
        if self.checksum.hexdigest() != self.file.etag:
            self.start_over()
            raise FetchError(
                f"{self.file.repo}/{self.file.path} arrived damaged: its checksum is not the one that the hub lists.",
                "None of it was kept: type the command again. If it happens again, a mirror or proxy alters it.",
            )
        os.fsync(self.stream.fileno())  # a crash of the machine must not leave a whole name on half a file
        Path(self.stream.name).replace(destination)

    def __enter__(self) -> "Partial":
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()
        if not self.done:
            Path(self.stream.name).unlink(missing_ok=True)
