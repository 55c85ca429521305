"""Ways to generate that are measured against one another: what each means for the decoder of a loaded pair."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ..adaptive import AdaptiveLength
from ..costs import CostCurve
from ..decoder import SpeculativeDecoder
from ..draft_length import DraftLength, FixedLength
from ..drafting import Drafter, ModelDrafter, NoDrafter
from ..ngram import NgramDrafter
from ..session import Session

PLAIN, ADAPTIVE, NGRAM = "plain", "adaptive", "ngram"


@dataclass(frozen=True, slots=True)
class Engine:
    """A loaded target with its drafter: its session, and how a question becomes its prompt."""

    session: Session
    tokens: Callable[[str], Sequence[int]]

    @property
    def decoder(self) -> SpeculativeDecoder:
        """The decoder as it was loaded."""
        return self.session.decoder


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to generate with an engine. `drafter` and `length` are called for each answer: nothing is remembered."""

    name: str
    engine: Engine
    drafter: Callable[[], Drafter]
    length: Callable[[], DraftLength]

    def decoder(self, temperature: float) -> SpeculativeDecoder:
        """A decoder as a new process would have it, with caches that hold nothing."""
        loaded = self.engine.decoder
        loaded.target.rollback(0)
        chain = replace(loaded.chain, params=replace(loaded.chain.params, temperature=temperature))
        return replace(loaded, drafter=self.drafter(), draft_length=self.length(), chain=chain)


def plain(engine: Engine, name: str = PLAIN) -> Variant:
    """Without drafting; under another name for a second target."""
    return Variant(name, engine, NoDrafter, lambda: FixedLength(0))


def fixed(engine: Engine, length: int) -> Variant:
    """With the engine's drafter and always the same length."""
    return Variant(f"fixed {length}", engine, lambda: cold(engine.decoder.drafter), lambda: FixedLength(length))


def challengers(engine: Engine, lengths: Iterable[int] = (), every_source: bool = False) -> tuple[Variant, ...]:
    """What is measured against plain: the engine as it was loaded, and fixed lengths.

    With `every_source` also what it would be with n-grams alone, unless it is just that. Empty where nothing drafts.
    """
    drafter = engine.decoder.drafter
    if isinstance(drafter, NoDrafter):
        return ()
    found = [Variant(ADAPTIVE, engine, lambda: cold(drafter), lambda: unlearned(engine.decoder.draft_length))]
    if every_source and not isinstance(drafter, NgramDrafter):
        found.append(Variant(NGRAM, engine, NgramDrafter, lambda: _for_ngrams(engine.decoder.draft_length)))
    return (*found, *(fixed(engine, length) for length in lengths))


def cold(drafter: Drafter) -> Drafter:
    """The same drafter with nothing read."""
    match drafter:
        case ModelDrafter():
            drafter.model.rollback(0)
            return drafter
        case NgramDrafter():
            return NgramDrafter(drafter.longest, drafter.shortest)
        case _:
            return drafter


def unlearned(length: DraftLength) -> DraftLength:
    """The same rule as a new process would start it: it knows what passes cost, which is kept, and nothing else."""
    if not isinstance(length, AdaptiveLength):
        return length
    return AdaptiveLength(
        target_costs=length.target_costs,
        draft_costs=length.draft_costs,
        most=length.most,
    )


def _for_ngrams(length: DraftLength) -> DraftLength:
    new = unlearned(length)
    return replace(new, draft_costs=None) if isinstance(new, AdaptiveLength) else new


def cost_curves(engine: Engine) -> tuple[CostCurve | None, CostCurve | None]:
    """What passes of the target and of the draft model cost, as far as it is known."""
    length = engine.decoder.draft_length
    return (length.target_costs, length.draft_costs) if isinstance(length, AdaptiveLength) else (None, None)
