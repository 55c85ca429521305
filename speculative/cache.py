"""What can be found out again, kept between runs: one small JSON file for each key."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from .files import write_whole

_FORMAT = 2
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of values; without one nothing is kept. What is damaged or of another format is as good as missing."""

    folder: Path | None

    def load(self, key: str) -> Any:
        """The value of `key`, made of what JSON knows, or None."""
        if self.folder is None:
            return None
        content = _read(self._file(self.folder, key))
        return content["value"] if content and content["key"] == key else None

    def save(self, key: str, value: object) -> None:
        """Keep a value; a folder that cannot be written only means that it has to be found out again."""
        content = {"format": _FORMAT, "key": key, "value": value}
        if self.folder is None:
            return
        try:
            write_whole(self._file(self.folder, key), json.dumps(content, indent=1).encode())
        except OSError:
            return

    def useless(self) -> int:
        """How many of its files are damaged or of another format. Raises nothing."""
        files = self.folder.glob("[!.]*.json") if self.folder else ()
        return sum(_read(file) is None for file in files)

    def _file(self, folder: Path, key: str) -> Path:
        name = sha256(key.encode(errors="surrogateescape")).hexdigest()[:24]
        return folder / f"{name}.json"


def _read(file: Path) -> dict[str, Any] | None:
    """What `file` holds, its key and its value among it; None where that is of no use."""
    try:
        with file.open("rb") as stream:
            content = json.loads(stream.read(_MOST_BYTES))  # a longer one is damaged
        fits = content["format"] == _FORMAT and "key" in content and "value" in content
        return content if fits else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
