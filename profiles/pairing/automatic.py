"""The draft that is taken where only a target is named."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from specchat.speculative.bench.gains import Gain, KnownGains
from specchat.speculative.cache import Cache
from specchat.speculative.compatibility import HasTokenTable
from specchat.speculative.errors import SpecchatError
from specchat.speculative.model_file import file_identity

from ..gguf.header import FileBytes, read_header
from ..gguf.vocabulary import vocabulary
from ..shards import all_parts
from ..stores.stored import StoredModel
from .candidates import Candidate, stored_candidates
from .glance import first_texts, may_be_kin
from .judgement import is_small, judged, rank

_RULES = 1
"""Grows when candidates are judged by other rules: what was found by the old ones is forgotten."""


@dataclass(frozen=True, slots=True)
class Automatic:
    """The draft to take, if there is one.

    `useless` is the best of those that were measured to gain too little, `crowded` of those that have no room.
    """

    draft: Candidate | None = None
    useless: Candidate | None = None
    crowded: Candidate | None = None


def best_stored(
    target: Path,
    models: Iterable[StoredModel],
    cache: Cache,
    gains: KnownGains,
    has_room: Callable[[Path], bool] = lambda draft: True,
) -> Automatic:
    """The best of `models` that fits the model in `target`, `has_room` beside it and may pay; never raises.

    That is one that was measured to pay, and not clearly less than n-grams alone, or the smallest that was not
    measured, if it is small enough. Headers are read only until one fits, and what they told is kept in `cache`, so
    that a start costs next to nothing.
    """
    try:
        size = sum(target.with_name(part).stat().st_size for part in all_parts(target.name))
        judge = _Judge(target, file_identity(target), cache)
    except (OSError, ValueError):  # loading the target will explain it
        return Automatic()
    ngrams, useless, crowded = gains.of(target, "ngram"), None, None
    for candidate in sorted(stored_candidates(models, size, partial(gains.of, target)), key=rank):
        if not left_alone(candidate, size, ngrams):
            if judge.fits(candidate):
                assert candidate.path is not None
                if has_room(candidate.path):
                    return Automatic(candidate, None, crowded)
                crowded = crowded or candidate
        elif candidate.gain and candidate.gain.interval:
            useless = useless or candidate
    return Automatic(None, useless, crowded)


def left_alone(candidate: Candidate, target_size: int, ngrams: Gain | None) -> str:
    """Why a candidate that fits is not taken unasked for a target of so many bytes; nothing if it is.

    `ngrams` is what they gained without any model.
    """
    gain = candidate.gain
    if gain and gain.refuted:
        return "it was measured not to pay here"
    if gain is None or not gain.pays:
        return "" if is_small(candidate.size, target_size) else "it has more than a third of the target's size"
    return f"n-grams without a model gain {ngrams.speedup:.2f} ×" if ngrams and gain.beaten_by(ngrams) else ""


@dataclass(slots=True)
class _Judge:
    """Says what fits a target, whose own header is read once, and only if something is not known yet."""

    target: Path
    identity: str
    cache: Cache
    _vocabulary: HasTokenTable | None = None
    _texts: list[bytes] | None = None

    def fits(self, candidate: Candidate) -> bool:
        assert candidate.path is not None
        try:
            key = f"{self.identity} | {file_identity(candidate.path)} | {candidate.where} | {_RULES}"
        except OSError:  # removed since it was seen
            return False
        known = self.cache.load(key)
        if isinstance(known, bool):
            return known
        found = self._judged(candidate)
        if found is not None:
            self.cache.save(key, found)
        return bool(found)

    def _judged(self, candidate: Candidate) -> bool | None:
        """Whether it fits; None where a file cannot be read, which may be open tomorrow."""
        try:
            if not self._may_be_kin(candidate):
                return False
            judgement = judged(self._table(), candidate)
        except SpecchatError:
            return None
        return judgement.fits if judgement.facts else None

    def _may_be_kin(self, candidate: Candidate) -> bool:
        if self._texts is None:
            self._texts = first_texts(FileBytes(self.target))
        return may_be_kin(self._texts, first_texts(candidate.source))

    def _table(self) -> HasTokenTable:
        if self._vocabulary is None:
            self._vocabulary = vocabulary(read_header(FileBytes(self.target), str(self.target)))
        return self._vocabulary
