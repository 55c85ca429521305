"""How a draft fits its target, kept between runs, so that it need not be loaded before it is wanted."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..cache import Cache
from ..compatibility import Compatibility
from .identity import file_identity


@dataclass(frozen=True, slots=True)
class Fit:
    """How the vocabularies compare, and the seconds that loading the draft took."""

    compatibility: Compatibility
    seconds: float


def known_fit(cache: Cache, target: Path, draft: Path) -> Fit | None:
    """The fit of two files as an earlier run found it."""
    return _fit(cache.load(_key(target, draft)))


def keep_fit(cache: Cache, target: Path, draft: Path, fit: Fit) -> None:
    """Keep the fit of two files for the next run."""
    cache.save(_key(target, draft), asdict(fit))


def _key(target: Path, draft: Path) -> str:
    return f"{file_identity(target)} | {file_identity(draft)}"


def _fit(value: Any) -> Fit | None:
    """The fit in a cached value; None if that cannot be true."""
    try:
        found, seconds = value["compatibility"], float(value["seconds"])
        fit = Compatibility(
            tuple(map(str, found["warnings"])), tuple(map(int, found["forbidden"])), int(found["limit"])
        )
    except (KeyError, TypeError, ValueError):
        return None
    plausible = 0 <= seconds < float("inf") and all(0 <= token < fit.limit for token in fit.forbidden)
    return Fit(fit, seconds) if plausible else None
