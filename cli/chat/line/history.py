"""What was typed before, in a file of its owner."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specchat.speculative.files import write_whole

FORMAT = 1
MOST_BYTES = 1 << 20
"""What the file may take; a message that alone takes a quarter of it is not kept."""
_HEADER = json.dumps({"format": FORMAT}).encode() + b"\n"


@dataclass(frozen=True, slots=True)
class History:
    """A file with one JSON string a line after its format, the oldest first.

    Chats that run at the same time add to it in turn. Where it cannot be read or written there is no history, and that
    is no error; a line that is damaged is passed over. It stays as it is unless what is typed is `kept`.
    """

    path: Path | None
    most_bytes: int = MOST_BYTES
    kept: bool = True

    def entries(self) -> list[str]:
        """What is kept, the oldest first."""
        if self.path is None:
            return []
        try:
            return _entries(_content(self.path))
        except OSError:
            return []

    def add(self, text: str) -> None:
        """Keep `text`, unless it came last already."""
        if self.path is None or not self.kept or not text.strip():
            return
        line = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        if len(line) * 4 > self.most_bytes:
            return
        with suppress(OSError):
            self.path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.path.parent.mkdir(exist_ok=True, mode=0o700)
            with _alone(self.path.with_suffix(".lock")):
                self._append(self.path, text, line)

    def _append(self, path: Path, text: str, line: bytes) -> None:
        content = _content(path)
        if _foreign(content) or [text] == _entries(content)[-1:]:
            return
        if len(content) + len(line) > self.most_bytes:
            write_whole(path, _HEADER + _newest(_entries(content), self.most_bytes // 2) + line)
            return
        # what a crash or a full disk cut off stays a line of its own
        start = _HEADER if not content else b"" if content.endswith(b"\n") else b"\n"
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "ab") as file:
            if sys.platform != "win32":
                os.fchmod(handle, 0o600)
            file.write(start + line)


def _content(path: Path) -> bytes:
    """The bytes of the file, none if there is no file. Raises `OSError`, also where it is a device or a pipe."""
    if not path.exists():
        return b""
    if not path.is_file():
        raise OSError(f"{path} is no file")
    return path.read_bytes()


def _entries(content: bytes) -> list[str]:
    if _foreign(content):
        return []
    return [value for line in content.splitlines() if isinstance(value := _value(line), str)]


def _foreign(content: bytes) -> bool:
    """Whether a later specchat wrote this, in a format that is not ours to touch."""
    first = _value(content.partition(b"\n")[0])
    return isinstance(first, dict) and first.get("format") != FORMAT


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _newest(entries: list[str], room: int) -> bytes:
    kept: list[bytes] = []
    for entry in reversed(entries):
        line = json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        room -= len(line)
        if room < 0:
            break
        kept.append(line)
    return b"".join(reversed(kept))


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """No other chat writes while this lasts; where the system has no such locks, that is left to luck."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(lock, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
