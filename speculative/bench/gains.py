"""What drafting gained on this machine, as benchmarks found out: kept for whoever chooses a draft later."""

import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..cache import Cache
from ..model_file import file_identity

if TYPE_CHECKING:
    from .report import Report

WORTH = 1.05
"""Times as fast as plain decoding: with less, nobody needs a draft."""
BETTER = 1.05
"""By so much one thing has to beat another for anybody to change."""
_FEWEST = 4
"""Pairs of answers before anything is worth keeping."""
_LEAST, _MOST = 1e-3, 1e3


@dataclass(frozen=True, slots=True)
class Gain:
    """How many times as fast as plain decoding texts of some `kinds` came.

    `interval` has the ends of its 95 % interval, and is None where too little was measured for one: such a gain can be
    shown, and speaks against nothing.
    """

    speedup: float
    interval: tuple[float, float] | None
    kinds: tuple[str, ...]

    @property
    def pays(self) -> bool:
        """Whether it is worth a draft."""
        return self.speedup >= WORTH

    @property
    def refuted(self) -> bool:
        """Whether it is known that it is not worth a draft."""
        return self.interval is not None and not self.pays

    def beaten_by(self, other: "Gain") -> bool:
        """Whether `other` is known to gain clearly more on the same kinds of text."""
        known = self.interval is not None and other.interval is not None
        return known and other.kinds == self.kinds and other.speedup > self.speedup * BETTER


@dataclass(frozen=True, slots=True)
class KnownGains:
    """The latest gain on this machine of each target with each draft, two files as they are now.

    "ngram" stands for the n-grams of the text.
    """

    cache: Cache

    def of(self, target: Path, draft: Path | Literal["ngram"]) -> Gain | None:
        """What was measured on this machine; None where nothing was."""
        try:
            return _gain(self.cache.load(_key(target, draft)))
        except OSError:  # a file has gone
            return None

    def keep(self, target: Path, draft: Path | Literal["ngram"], gain: Gain) -> None:
        """Keep a gain in the place of an older one, unless only that one has an interval."""
        known = self.of(target, draft)
        if gain.interval is None and known is not None and known.interval is not None:
            return
        try:
            self.cache.save(_key(target, draft), asdict(gain))
        except OSError:  # a file has gone since it was measured
            return


def measured_gain(report: "Report", variant: str) -> Gain | None:
    """The gain of a variant; None where hardly anything was measured."""
    summary = report.summary(variant)
    if summary is None or summary.speedup.count < _FEWEST:
        return None
    kinds = {row.kind for row in report.rows if row.variant == variant}
    interval = summary.speedup.interval
    ends = (interval.low, interval.high) if interval else None
    return Gain(summary.speedup.value, ends, tuple(sorted(kinds)))


def _key(target: Path, draft: Path | Literal["ngram"]) -> str:
    drafted_by = draft if draft == "ngram" else file_identity(Path(draft))
    return f"gain | {file_identity(target)} | {drafted_by} | {platform.node()}"


def _gain(value: Any) -> Gain | None:
    """The gain in a cached value; None if that cannot be true."""
    try:
        speedup, interval, kinds = (value[name] for name in ("speedup", "interval", "kinds"))
        low, high = (speedup, speedup) if interval is None else interval
    except (KeyError, TypeError, ValueError):
        return None
    if not isinstance(kinds, list) or not all(isinstance(kind, str) for kind in kinds):
        return None
    if not all(isinstance(figure, float) and _LEAST < figure < _MOST for figure in (low, speedup, high)):
        return None
    return Gain(speedup, None if interval is None else (low, high), tuple(kinds))
