"""Which of the models on this machine can draft for a target, by their headers alone."""

from collections.abc import Iterable
from dataclasses import dataclass

from specchat.speculative.compatibility import check_vocabularies
from specchat.speculative.errors import SpecchatError

from .gguf.facts import ModelFacts, model_facts
from .gguf.header import GgufHeader, read_header
from .gguf.vocabulary import HeaderVocabulary, vocabulary
from .stores.conversions import ollama_only
from .stores.quiet import QuietBytes
from .stores.stored import StoredModel

WORTH_TRYING = 3.0
"""How many times as large as its draft a target has to be for the draft to be taken unasked."""
_SMALLER = 1.25
"""How many times as large it has to be for the other to be called a draft at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model that might draft. `ratio` is the target's size over its own; `reason` says why it does not fit, if so."""

    model: StoredModel
    facts: ModelFacts
    ratio: float
    warnings: tuple[str, ...] = ()
    reason: str = ""

    @property
    def fits(self) -> bool:
        """Whether it can draft."""
        return not self.reason


def candidates(target: GgufHeader, size: int, models: Iterable[StoredModel]) -> list[Candidate]:
    """The models that are smaller than a target of `size` bytes: those that fit first, and of these the smallest.

    Each guess costs about what reading the draft's weights does, so of two that fit the smaller one is cheaper. What
    cannot be read is left out. Raises `ModelLoadError` for a target that generates no text.
    """
    wanted = vocabulary(target)
    smaller = (model for model in models if model.size * _SMALLER <= size)
    found = [_candidate(wanted, size, model) for model in smaller]
    return sorted(filter(None, found), key=lambda each: (not each.fits, each.model.size, each.model.name))


def draft_for(target: GgufHeader, size: int, models: Iterable[StoredModel]) -> StoredModel | None:
    """The model to draft where none was named; None where none fits that is much smaller."""
    worth = (model for model in models if model.size * WORTH_TRYING <= size)
    best = next(iter(candidates(target, size, worth)), None)
    return best.model if best and best.fits else None


def _candidate(wanted: HeaderVocabulary, size: int, model: StoredModel) -> Candidate | None:
    try:
        header = read_header(QuietBytes(model.path), model.name)
    except SpecchatError:
        return None
    found = Candidate(model=model, facts=model_facts(header), ratio=size / model.size)
    if objection := ollama_only(header):
        return _unfit(found, f"It {objection}")
    try:
        compatibility = check_vocabularies(wanted, vocabulary(header))
    except SpecchatError as error:
        return _unfit(found, error.message)
    return Candidate(model=model, facts=found.facts, ratio=found.ratio, warnings=compatibility.warnings)


def _unfit(found: Candidate, reason: str) -> Candidate:
    return Candidate(model=found.model, facts=found.facts, ratio=found.ratio, reason=reason)
