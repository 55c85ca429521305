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
        try:
            with self._file(self.folder, key).open("rb") as file:
                content = json.loads(file.read(_MOST_BYTES))  # a longer one is damaged
            fits = content["format"] == _FORMAT and content["key"] == key
            return content["value"] if fits else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def save(self, key: str, value: object) -> None:
        """Keep a value; a folder that cannot be written only means that it has to be found out again."""
        content = {"format": _FORMAT, "key": key, "value": value}
        if self.folder is None:
            return
        try:
            write_whole(self._file(self.folder, key), json.dumps(content, indent=1).encode())
        except OSError:
            return

    def _file(self, folder: Path, key: str) -> Path:
        name = sha256(key.encode(errors="surrogateescape")).hexdigest()[:24]
        return folder / f"{name}.json"
