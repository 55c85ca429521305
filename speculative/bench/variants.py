"""Ways to generate that are measured against one another: what each means for the decoder of a loaded pair."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ..adaptive import AdaptiveLength
from ..costs import CostCurve
from ..decoder import SpeculativeDecoder
from ..draft_length import DraftLength, FixedLength
from ..drafting import MODEL, NGRAM, Drafter, ModelDrafter, NoDrafter, SeveralDrafters
from ..lazy import ForgivingDrafter, LazyDrafter, loaded_model_drafter
from ..model import LanguageModel
from ..ngram import NgramDrafter
from ..session import Session

PLAIN, ADAPTIVE = "plain", "adaptive"


@dataclass(frozen=True, slots=True)
class Engine:
    """A loaded target with its drafter: its session, and how a question becomes its prompt."""

    session: Session
    tokens: Callable[[str], Sequence[int]]

    @property
    def decoder(self) -> SpeculativeDecoder:
        """The decoder as it was loaded."""
        return self.session.decoder

    def beside(self, twin: LanguageModel) -> "Engine":
        """The same with a target that has a cache of its own, so that the two can take turns."""
        return replace(self, session=self.session.afresh(replace(self.decoder, target=twin), self.session.seed))


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to generate with an engine. `drafter` and `length` are called for each answer: nothing is remembered."""

    name: str
    engine: Engine
    drafter: Callable[[], Drafter]
    length: Callable[[], DraftLength]

    def beside(self, twin: LanguageModel) -> "Variant":
        """The same with a target that has a cache of its own."""
        return replace(self, engine=self.engine.beside(twin))

    def decoder(self, temperature: float) -> SpeculativeDecoder:
        """A decoder as a new process would have it, with caches that hold nothing."""
        loaded = self.engine.decoder
        loaded.target.rollback(0)
        chain = replace(loaded.chain, params=replace(loaded.chain.params, temperature=temperature))
        return replace(loaded, drafter=self.drafter(), draft_length=self.length(), chain=chain)


def plain(engine: Engine, name: str = PLAIN) -> Variant:
    """Without drafting; under another name for a second target."""
    return Variant(name, engine, NoDrafter, lambda: FixedLength(0))


def opponents(reference: Variant, other: Variant, twin: LanguageModel, swapped: bool) -> tuple[Variant, Variant]:
    """Both, each with a cache of its own: the reference has that of the `twin`, unless they are `swapped`.

    One of another engine has a cache already, and cannot swap it.
    """
    if not swapped:
        return reference.beside(twin), other
    return reference, other.beside(twin) if other.engine is reference.engine else other


def fixed(engine: Engine, length: int) -> Variant:
    """Always the same length, drafted by the engine's model or, without one, by n-grams."""
    return Variant(f"fixed {length}", engine, lambda: cold(_named(engine)), lambda: FixedLength(length))


def challengers(engine: Engine, lengths: Iterable[int] = (), every_source: bool = False) -> tuple[Variant, ...]:
    """What is measured against plain: the engine as it was loaded, and fixed lengths.

    With `every_source` also each of its sources alone, if there are several. Empty where nothing drafts.
    """
    loaded = engine.decoder
    if isinstance(loaded.drafter, NoDrafter):
        return ()
    found = [_adaptive(ADAPTIVE, engine, lambda: loaded.drafter)]
    if every_source and loaded_model_drafter(loaded.drafter) is not None:
        found += [_adaptive(MODEL, engine, lambda: _named(engine)), _adaptive(NGRAM, engine, NgramDrafter)]
    return (*found, *(fixed(engine, length) for length in lengths))


def _adaptive(name: str, engine: Engine, drafter: Callable[[], Drafter]) -> Variant:
    return Variant(name, engine, lambda: cold(drafter()), lambda: unlearned(engine.decoder.draft_length))


def _named(engine: Engine) -> Drafter:
    """The drafter that the user named: the model if there is one."""
    return loaded_model_drafter(engine.decoder.drafter) or engine.decoder.drafter


def cold(drafter: Drafter) -> Drafter:
    """The same drafter, loaded, with nothing read."""
    match drafter:
        case SeveralDrafters(drafters):
            return SeveralDrafters(tuple(cold(each) for each in drafters))
        case LazyDrafter() | ForgivingDrafter():
            loaded = loaded_model_drafter(drafter)
            return cold(loaded) if loaded else drafter
        case ModelDrafter():
            drafter.model.rollback(0)
            return drafter
        case NgramDrafter():
            return NgramDrafter(drafter.longest, drafter.shortest, drafter.reach)
        case _:
            return drafter


def unlearned(length: DraftLength) -> DraftLength:
    """The same rule as a new process would start it."""
    return length.afresh() if isinstance(length, AdaptiveLength) else length


def cost_curves(engine: Engine) -> tuple[CostCurve | None, CostCurve | None]:
    """What passes of the target and of the draft model cost, as far as it is known."""
    length = engine.decoder.draft_length
    if not isinstance(length, AdaptiveLength):
        return None, None
    return length.target_costs, length.sources[MODEL].costs if MODEL in length.sources else None
