"""What `specchat pair` found, as tables and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specchat.profiles.pairing.automatic import left_alone
from specchat.profiles.pairing.judgement import Judgement
from specchat.profiles.seen_model import SeenModel
from specchat.speculative.bench.gains import Gain

from ..display.quantities import file_size
from ..display.table import Entry, table_lines

_HEADER = ("fits", "size", "ratio", "gain", "where", "licence")
_OTHERS = ("does not fit", "size", "ratio", "where", "licence")
_NAMED = ("ratio", "gain", "licence")


@dataclass(frozen=True, slots=True)
class PairOutput:
    """A target, what may draft for it, the best first, and what n-grams gain without a model."""

    target: SeenModel
    judgements: Sequence[Judgement]
    ngrams: Gain | None

    def lines(self, columns: int | None) -> list[str]:
        """A table of those that fit, and one of the others, each with the reason."""
        fitting = [Entry(self._cells(each, _gain(each)), self._but(each)) for each in self.judgements if each.fits]
        others = [Entry(self._cells(each), (each.reason,)) for each in self.judgements if not each.fits]
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
            "drafts": [self._draft_content(each) for each in self.judgements],
        }

    def _cells(self, judgement: Judgement, *gain: str) -> tuple[str, ...]:
        candidate, ratio = judgement.candidate, f"{self._ratio(judgement):.2f}"
        licence = judgement.licence or "not stated"
        return (candidate.name, file_size(candidate.size), ratio, *gain, candidate.where, licence)

    def _but(self, judgement: Judgement) -> tuple[str, ...]:
        reason = self._left_alone(judgement)
        return (*judgement.warnings, *([f"--draft auto leaves it alone: {reason}."] if reason else []))

    def _left_alone(self, judgement: Judgement) -> str:
        return left_alone(judgement.candidate, self.target.size, self.ngrams)

    def _ratio(self, judgement: Judgement) -> float:
        return judgement.candidate.size / max(1, self.target.size)

    def _draft_content(self, judgement: Judgement) -> dict[str, Any]:
        candidate, facts = judgement.candidate, judgement.facts
        return {
            "name": candidate.name,
            "where": candidate.where,
            "size": candidate.size,
            "ratio": round(self._ratio(judgement), 4),
            "gain": _gain_content(candidate.gain),
            "quantisation": facts and facts.quantisation,
            "licence": judgement.licence,
            "fits": judgement.fits if judgement.known else None,
            "automatic": judgement.fits and not self._left_alone(judgement),
            "warnings": list(judgement.warnings),
            "reason": judgement.reason or None,
        }


def _gain(judgement: Judgement) -> str:
    gain = judgement.candidate.gain
    if gain is None:
        return "unknown"
    return f"{gain.speedup:.2f} ×" if gain.interval else f"~{gain.speedup:.1f} ×"


def _gain_content(gain: Gain | None) -> dict[str, Any] | None:
    if gain is None:
        return None
    return {"speedup": gain.speedup, "interval": gain.interval and list(gain.interval), "kinds": list(gain.kinds)}
