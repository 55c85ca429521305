"""Draft models that are loaded when their first guess is wanted, and whose failures cost only their guesses."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

from .draft_states import DraftStates
from .drafting import MODEL, Drafter, Guess, ModelDrafter, Offer, Propose, SeveralDrafters, knows, window
from .errors import SpecchatError


@dataclass(slots=True)
class LazyDrafter:
    """Offers what a model would guess, and loads it, for about `seconds`, when that is taken.

    `n_ctx` and `n_vocab` are those of the `ModelDrafter` that `load` gives. What it read in earlier runs may be among
    its `states`, and is not read again for its first guess.
    """

    load: Callable[[], ModelDrafter]
    seconds: float
    n_ctx: int
    n_vocab: int
    states: DraftStates | None = None
    _loaded: ModelDrafter | None = None
    _has_guessed: bool = False
    _text: Sequence[int] = ()

    def load_now(self) -> ModelDrafter:
        """The drafter, loaded unless it was before. Raises what loading raises."""
        if self._loaded is None:
            self._loaded = self.load()
        return self._loaded

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """The model's offer."""
        self._text = context
        if self._has_guessed:
            return [self._timed(offer) for offer in self.load_now().offers(context, propose)]
        seen = window(context, self.n_ctx)
        if not knows(seen, self.n_vocab):
            return ()
        behind, loading = len(seen) - 1, 0.0 if self._loaded else self.seconds
        if self.states and seen is context and (found := self.states.promise(context)):
            behind, loading = behind - found.tokens, loading + found.seconds
        forced = propose.forced(context)
        return (Offer(MODEL, self._first_guesses(context, propose, forced), behind, loading, len(forced)),)

    def _first_guesses(self, context: Sequence[int], propose: Propose, forced: Sequence[Guess]) -> Iterator[Guess]:
        yield from forced
        drafter = self.load_now()
        self._has_guessed = True
        if self.states:
            self.states.recall(window(context, self.n_ctx))
        for offer in drafter.offers(context, propose):
            yield from islice(self._timed(offer).guesses, offer.forced, None)

    def _timed(self, offer: Offer) -> Offer:
        """The same offer; what reading takes is learned, where that is of use."""
        return replace(offer, guesses=_clocked(offer, self.states)) if self.states and offer.behind else offer

    def close(self) -> None:
        """Free the model if it was loaded, and keep what it read."""
        if self.states:
            self.states.keep(self._text)
        if self._loaded is not None:
            self._loaded.close()


def _clocked(offer: Offer, states: DraftStates) -> Iterator[Guess]:
    yield from islice(offer.guesses, offer.forced)  # for these nothing is read
    started = perf_counter()
    for guess in islice(offer.guesses, 1):
        states.has_read(1 + offer.behind, perf_counter() - started)
        yield guess
    yield from offer.guesses


@dataclass(slots=True)
class ForgivingDrafter:
    """Offers what `drafter` offers until that fails: an answer that goes on without a draft is better than none."""

    drafter: Drafter
    on_failure: Callable[[SpecchatError], None]
    _failed: bool = False

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """The offers of the drafter; nothing after a failure."""
        if self._failed:
            return ()
        found = self.drafter.offers(context, propose)
        return [replace(offer, guesses=self._until_failure(offer.guesses)) for offer in found]

    def _until_failure(self, guesses: Iterator[Guess]) -> Iterator[Guess]:
        try:
            yield from guesses
        except SpecchatError as error:
            self._failed = True
            self.on_failure(error)

    def close(self) -> None:
        """Close the drafter."""
        self.drafter.close()


def loaded_model_drafter(drafter: Drafter) -> ModelDrafter | None:
    """The drafter with a model among those that make up `drafter`, loaded now unless it was before.

    Raises what loading raises.
    """
    match drafter:
        case ModelDrafter():
            return drafter
        case LazyDrafter():
            return drafter.load_now()
        case ForgivingDrafter(inner):
            return loaded_model_drafter(inner)
        case SeveralDrafters(drafters):
            return next(filter(None, map(loaded_model_drafter, drafters)), None)
        case _:
            return None
