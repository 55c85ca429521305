"""What `specchat pair` found, as tables and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specchat.profiles.pairing.automatic import left_alone
from specchat.profiles.pairing.verdict import Verdict
from specchat.profiles.seen import SeenModel
from specchat.speculative.bench.gains import Gain

from .quantities import file_size
from .table import Entry, table_lines

_HEADER = ("fits", "size", "ratio", "gain", "where", "licence")
_OTHERS = ("does not fit", "size", "ratio", "where", "licence")
_NAMED = ("ratio", "gain", "licence")


@dataclass(frozen=True, slots=True)
class PairOutput:
    """A target, what may draft for it, the best first, and what n-grams gain without a model."""

    target: SeenModel
    verdicts: Sequence[Verdict]
    ngrams: Gain | None

    def lines(self, columns: int | None) -> list[str]:
        """A table of those that fit, and one of the others, each with the reason."""
        fitting = [Entry(self._cells(each, _gain(each)), self._but(each)) for each in self.verdicts if each.fits]
        others = [Entry(self._cells(each), (each.reason,)) for each in self.verdicts if not each.fits]
        between = [""] if fitting and others else []
        return [
            *table_lines(_HEADER, fitting, columns, _NAMED),
            *between,
            *table_lines(_OTHERS, others, columns, _NAMED),
        ]

    def content(self) -> dict[str, Any]:
        """The same for programs, with more of each."""
        target = self.target
        return {
            "model": {"file": target.header.name, "size": target.size, "fetched": target.fetched},
            "ngram_gain": _gain_content(self.ngrams),
            "drafts": [self._draft_content(each) for each in self.verdicts],
        }

    def _cells(self, verdict: Verdict, *gain: str) -> tuple[str, ...]:
        candidate, ratio = verdict.candidate, f"{self._ratio(verdict):.2f}"
        licence = verdict.licence or "not stated"
        return (candidate.name, file_size(candidate.size), ratio, *gain, candidate.where, licence)

    def _but(self, verdict: Verdict) -> tuple[str, ...]:
        reason = self._left_alone(verdict)
        return (*verdict.warnings, *([f"--draft auto leaves it alone: {reason}."] if reason else []))

    def _left_alone(self, verdict: Verdict) -> str:
        return left_alone(verdict.candidate, self.target.size, self.ngrams)

    def _ratio(self, verdict: Verdict) -> float:
        return verdict.candidate.size / max(1, self.target.size)

    def _draft_content(self, verdict: Verdict) -> dict[str, Any]:
        candidate, facts = verdict.candidate, verdict.facts
        return {
            "name": candidate.name,
            "where": candidate.where,
            "size": candidate.size,
            "ratio": round(self._ratio(verdict), 4),
            "gain": _gain_content(candidate.gain),
            "quantisation": facts and facts.quantisation,
            "licence": verdict.licence,
            "fits": verdict.fits if verdict.known else None,
            "automatic": verdict.fits and not self._left_alone(verdict),
            "warnings": list(verdict.warnings),
            "reason": verdict.reason or None,
        }


def _gain(verdict: Verdict) -> str:
    gain = verdict.candidate.gain
    if gain is None:
        return "unknown"
    return f"{gain.speedup:.2f} ×" if gain.interval else f"~{gain.speedup:.1f} ×"


def _gain_content(gain: Gain | None) -> dict[str, Any] | None:
    if gain is None:
        return None
    return {"speedup": gain.speedup, "interval": gain.interval and list(gain.interval), "kinds": list(gain.kinds)}
