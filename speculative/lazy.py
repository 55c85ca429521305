"""Draft models that are loaded when their first guess is wanted, and whose failures cost only their guesses."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from .drafting import MODEL, Drafter, Guess, ModelDrafter, Offer, Propose, SeveralDrafters, knows, window
from .errors import SpecchatError


@dataclass(slots=True)
class LazyDrafter:
    """Offers what a model would guess, and loads it, for about `seconds`, when that is taken.

    `n_ctx` and `n_vocab` are those of the `ModelDrafter` that `load` gives.
    """

    load: Callable[[], ModelDrafter]
    seconds: float
    n_ctx: int
    n_vocab: int
    _loaded: ModelDrafter | None = None

    def load_now(self) -> ModelDrafter:
        """The drafter, loaded unless it was before. Raises what loading raises."""
        if self._loaded is None:
            self._loaded = self.load()
        return self._loaded

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """The model's offer."""
        if self._loaded is not None:
            return self._loaded.offers(context, propose)
        seen = window(context, self.n_ctx)
        if not knows(seen, self.n_vocab):
            return ()
        forced = propose.forced(context)
        return (Offer(MODEL, self._guesses(context, propose, forced), len(seen) - 1, self.seconds, len(forced)),)

    def _guesses(self, context: Sequence[int], propose: Propose, forced: Sequence[Guess]) -> Iterator[Guess]:
        yield from forced
        for offer in self.load_now().offers(context, propose):
            yield from islice(offer.guesses, offer.forced, None)

    def close(self) -> None:
        """Free the model if it was loaded."""
        if self._loaded is not None:
            self._loaded.close()


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
