"""Whether candidates fit a target, by their headers, and which of them comes first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specchat.speculative.compatibility import HasTokenTable, check_vocabularies
from specchat.speculative.errors import SpecchatError

from ..errors import FetchError
from ..gguf.facts import ModelFacts, model_facts
from ..gguf.header import GgufHeader, read_header
from ..gguf.vocabulary import vocabulary
from ..stores.conversions import ollama_only
from ..stores.stored import OLLAMA
from .candidates import Candidate

if TYPE_CHECKING:
    from specchat.speculative.footprint.shape import ModelShape

MOST_SHARE = 3
"""A draft that is taken unasked has at most this part of its target's bytes."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a candidate: it fits, but for what `warnings` say, or it does not for a `reason`.

    `facts` are None where not even the header can be read; where the network failed meanwhile, nothing is `known`. The
    `shape` of one that fits says how much memory it takes, unless that is not known.
    """

    candidate: Candidate
    facts: ModelFacts | None = None
    shape: "ModelShape | None" = None
    warnings: tuple[str, ...] = ()
    reason: str = ""
    known: bool = True

    @property
    def fits(self) -> bool:
        """Whether it can draft."""
        return not self.reason

    @property
    def licence(self) -> str | None:
        """What its header says, or else the hub."""
        return (self.facts and self.facts.licence) or self.candidate.licence or None


def judged(target: HasTokenTable, candidate: Candidate) -> Judgement:
    """Compare the vocabulary of a candidate with that of a target; whatever is wrong with it is its reason."""
    try:
        header = read_header(candidate.source, candidate.name)
    except SpecchatError as error:
        return Judgement(candidate, reason=error.message, known=not isinstance(error, FetchError))
    facts = model_facts(header)
    if objection := _objection(candidate, header) or facts.objection:
        return Judgement(candidate, facts, reason=f"It {objection}")
    try:
        fit = check_vocabularies(target, vocabulary(header))
    except SpecchatError as error:
        return Judgement(candidate, facts, reason=error.message)
    return Judgement(candidate, facts, _shape(header, facts, candidate.size), fit.warnings)


def best_first(judgements: Iterable[Judgement]) -> list[Judgement]:
    """Those that fit, then those that do not; of each the better ones first, as `rank` says."""
    return sorted(judgements, key=lambda each: (not each.fits, *rank(each.candidate)))


def rank(candidate: Candidate) -> tuple[int, float, int, str]:
    """Where a candidate stands among those that fit: the least comes first.

    What was measured to pay leads, the greatest gain before others; what is known not to pay comes last. Between
    them the smaller one is first: a draft step reads all weights once, so the size is what it costs. What it gains is
    known only once it is measured: how often a draft is right does not follow from its size.
    """
    gain = candidate.gain
    group = 0 if gain and gain.pays else 2 if gain and gain.refuted else 1
    return group, -gain.speedup if gain and group != 1 else 0.0, candidate.size, candidate.name


def is_small(size: int, target: int) -> bool:
    """Whether a draft of `size` bytes is small enough to be taken unasked for a target of `target` bytes."""
    return size * MOST_SHARE <= target


def _shape(header: GgufHeader, facts: ModelFacts, size: int) -> "ModelShape | None":
    """Of a model in several files by the first one and the `size` of all."""
    from ..gguf.shape import model_shape

    found = model_shape([header])
    if found is None or facts.shards == 1:
        return found
    return found.weighing(size) if found.weights else None


def _objection(candidate: Candidate, header: GgufHeader) -> str | None:
    return ollama_only(header) if candidate.where == OLLAMA else None
