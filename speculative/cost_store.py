"""Cost curves kept between runs, so that each pair is measured once on each machine."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from .costs import CostCurve
from .files import write_whole

_FORMAT = 1
_MOST_BYTES = 1 << 16
_LONGEST = 1 << 20
_QUICKEST, _SLOWEST = 1e-6, 3600.0


@dataclass(frozen=True, slots=True)
class CostStore:
    """A folder with one small file for each key; what is damaged or of another format is measured again."""

    folder: Path

    def load(self, key: str) -> CostCurve | None:
        """The curve of `key`, or None."""
        try:
            with self._file(key).open("rb") as file:
                content = json.loads(file.read(_MOST_BYTES))  # a longer one is damaged
            if content["format"] != _FORMAT or content["key"] != key:
                return None
            curve = {int(length): seconds for length, seconds in content["seconds"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        usable = len(curve) > 1 and all(_is_plausible(*figure) for figure in curve.items())
        return CostCurve(curve) if usable else None

    def save(self, key: str, curve: CostCurve) -> None:
        """Keep the curve of `key`; a folder that cannot be written only costs the next measurement."""
        content = {"format": _FORMAT, "key": key, "seconds": curve.snapshot()}
        try:
            write_whole(self._file(key), json.dumps(content, indent=1).encode())
        except OSError:
            return

    def _file(self, key: str) -> Path:
        name = sha256(key.encode(errors="surrogateescape")).hexdigest()[:24]
        return self.folder / f"{name}.json"


def _is_plausible(length: int, seconds: object) -> bool:
    """Whether a pass over so many tokens can have taken so long; `seconds` is whatever the file says."""
    return 1 <= length <= _LONGEST and isinstance(seconds, float) and _QUICKEST <= seconds <= _SLOWEST
