"""A draft model that is loaded when its first guess is wanted: a short answer never waits for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from .drafting import MODEL, Drafter, Guess, ModelDrafter, Offer, Propose, SeveralDrafters
from .errors import SpecchatError


@dataclass(slots=True)
class LazyDrafter:
    """Offers what its model would guess, and loads the model, for about `seconds`, when that is taken.

    If it cannot be loaded, `on_failure` is told why, and nothing is offered any more: an answer that goes on without a
    draft is better than none.
    """

    load: Callable[[], ModelDrafter]
    seconds: float
    on_failure: Callable[[SpecchatError], None]
    _failed: bool = False
    _loaded: ModelDrafter | None = None

    @property
    def loaded(self) -> ModelDrafter:
        """The drafter, loaded now if it was not yet. Raises what loading raises."""
        if self._loaded is None:
            self._loaded = self.load()
        return self._loaded

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """The model's offer."""
        if self._loaded is not None:
            return self._loaded.offers(context, propose)
        if self._failed:
            return ()
        return (Offer(MODEL, self._guesses(context, propose), behind=len(context) - 1, loading=self.seconds),)

    def _guesses(self, context: Sequence[int], propose: Propose) -> Iterator[Guess]:
        try:
            loaded = self.loaded
        except SpecchatError as error:
            self._failed = True
            self.on_failure(error)
            return
        for offer in loaded.offers(context, propose):
            yield from offer.guesses

    def close(self) -> None:
        """Free the model if it was loaded."""
        if self._loaded is not None:
            self._loaded.close()


def with_model(drafter: Drafter) -> ModelDrafter | None:
    """The drafter with a model among those that make up `drafter`, loaded now if it was not yet."""
    match drafter:
        case ModelDrafter():
            return drafter
        case LazyDrafter():
            return drafter.loaded
        case SeveralDrafters(drafters):
            return next(filter(None, map(with_model, drafters)), None)
        case _:
            return None
