"""Drafts that are loaded when they are wanted, and drafts that fail."""

from collections.abc import Iterator, Sequence

import pytest

from specchat.speculative.drafting import Guess, ModelDrafter, NoDrafter, Offer, Propose, SeveralDrafters
from specchat.speculative.errors import DecodeError, ModelLoadError, SpecchatError
from specchat.speculative.lazy import ForgivingDrafter, LazyDrafter, loaded_model_drafter

from .fakes import FakeModel, guesses, propose


def drafter() -> ModelDrafter:
    return ModelDrafter(FakeModel(), lambda token: False, n_ctx=20, n_vocab=4)


def test_it_guesses_what_the_loaded_model_guesses_and_loads_it_once():
    loads: list[ModelDrafter] = []

    def load() -> ModelDrafter:
        loads.append(drafter())
        return loads[-1]

    lazy = LazyDrafter(load, 1.5, n_ctx=20, n_vocab=4)
    [offer] = lazy.offers([0, 1, 2], propose(seed=0))
    assert (offer.loading, offer.behind, loads) == (1.5, 2, [])
    for context in ([0, 1, 2], [0, 1, 2, 3]):
        told = [guess.token for guess in guesses(lazy, context, propose(seed=0), 4)]
        assert told == [guess.token for guess in guesses(drafter(), context, propose(seed=0), 4)]
    [offer] = lazy.offers([0, 1, 2, 3], propose(seed=0))
    assert (offer.loading, len(loads)) == (0.0, 1)
    lazy.close()
    assert loads[0].model.closed


@pytest.mark.parametrize("context", [[0, 7, 1], [*range(4)] * 10 + [7]])
def test_it_is_not_loaded_for_a_text_that_it_could_not_go_on_with(context):
    def load() -> ModelDrafter:
        raise AssertionError

    assert guesses(LazyDrafter(load, 1.0, n_ctx=20, n_vocab=4), context, propose(seed=0)) == []


class Failing:
    """Guesses once, then fails."""

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        return (Offer("failing", self._guesses()),)

    def _guesses(self) -> Iterator[Guess]:
        yield Guess.certain(1)
        raise DecodeError("There is no memory left.")

    def close(self) -> None:
        pass


def test_a_draft_that_fails_is_told_of_once_and_offers_nothing_more():
    told: list[SpecchatError] = []
    forgiving = ForgivingDrafter(Failing(), told.append)
    assert [guess.token for guess in guesses(forgiving, [0], propose(seed=0))] == [1]
    assert guesses(forgiving, [0], propose(seed=0)) == []
    assert [str(error) for error in told] == ["There is no memory left."]


def test_a_draft_that_cannot_be_loaded_is_told_of_and_offers_nothing_more():
    def load() -> ModelDrafter:
        raise ModelLoadError("It is gone.")

    told: list[SpecchatError] = []
    forgiving = ForgivingDrafter(LazyDrafter(load, 1.0, n_ctx=20, n_vocab=4), told.append)
    assert guesses(forgiving, [0], propose(seed=0)) == []
    assert guesses(forgiving, [0], propose(seed=0)) == []
    assert len(told) == 1


def test_the_model_is_found_wherever_it_is():
    model = drafter()
    lazy = LazyDrafter(lambda: model, 1.0, n_ctx=20, n_vocab=4)
    assert loaded_model_drafter(SeveralDrafters((NoDrafter(), ForgivingDrafter(lazy, print)))) is model
    assert loaded_model_drafter(SeveralDrafters((NoDrafter(),))) is None
