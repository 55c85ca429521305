"""The draft that is taken where only a target is named."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

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
from .verdict import is_small, judged

_RULES = 1
"""Grows when candidates are judged by other rules: what was found by the old ones is forgotten."""


def best_stored(target: Path, models: Iterable[StoredModel], cache: Cache) -> StoredModel | None:
    """The smallest of `models` that fits the model in `target`, if one of them is small enough; never raises.

    Headers are read only until one fits, and what they told is kept in `cache`, so that a start costs next to nothing.
    """
    try:
        size = sum(target.with_name(part).stat().st_size for part in all_parts(target.name))
        judge = _Judge(target, file_identity(target), cache)
    except (OSError, ValueError):  # loading the target will explain it
        return None
    small = [model for model in models if is_small(model.size, size)]
    by_cost = sorted(small, key=lambda model: (model.size, model.name))
    return next((model for model in by_cost if judge.fits(model)), None)


@dataclass(slots=True)
class _Judge:
    """Says what fits a target, whose own header is read once, and only if something is not known yet."""

    target: Path
    identity: str
    cache: Cache
    _vocabulary: HasTokenTable | None = None
    _texts: list[bytes] | None = None

    def fits(self, model: StoredModel) -> bool:
        try:
            key = f"{self.identity} | {file_identity(model.path)} | {model.store} | {_RULES}"
        except OSError:  # removed since it was seen
            return False
        known = self.cache.load(key)
        if isinstance(known, bool):
            return known
        [candidate] = stored_candidates([model], below=model.size + 1)
        found = self._judged(candidate)
        if found is not None:
            self.cache.save(key, found)
        return bool(found)

    def _judged(self, candidate: Candidate) -> bool | None:
        """Whether it fits; None where a file cannot be read, which may be open tomorrow."""
        try:
            if not self._may_be_kin(candidate):
                return False
            verdict = judged(self._table(), candidate)
        except SpecchatError:
            return None
        return verdict.fits if verdict.facts else None

    def _may_be_kin(self, candidate: Candidate) -> bool:
        if self._texts is None:
            self._texts = first_texts(FileBytes(self.target))
        return may_be_kin(self._texts, first_texts(candidate.source))

    def _table(self) -> HasTokenTable:
        if self._vocabulary is None:
            self._vocabulary = vocabulary(read_header(FileBytes(self.target), str(self.target)))
        return self._vocabulary
