"""Drafts that go on where an earlier run ended: the same guesses from less reading, whatever is on the disk."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from specchat.speculative.draft_states import DraftStates
from specchat.speculative.drafting import ModelDrafter
from specchat.speculative.errors import Cancelled
from specchat.speculative.lazy import LazyDrafter
from specchat.speculative.state_file import KeptTokens, read_tokens, write_state
from specchat.speculative.state_places import StatePlace
from specchat.speculative.state_shelf import StateShelf

from .fakes import FakeModel, guesses, propose

DOCUMENT = [token % 4 for token in range(100)]
FILE, FOLDER = (lambda path: path / "my.state"), (lambda path: path / "states")


@dataclass
class Run:
    """A process in which a draft guesses behind a text that grows, and then ends."""

    place: StatePlace
    n_ctx: int = 500
    forgets: bool = False
    told: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    stopped: bool = False
    model: FakeModel = field(init=False)
    drafter: LazyDrafter = field(init=False)

    def __post_init__(self) -> None:
        self.model = FakeModel(memory=50, forgets=self.forgets)
        shelf = StateShelf(self.place.of_draft(), "a draft", 1, False, self.told.append)
        states = DraftStates(shelf, self._check, self.shown.append)

        def load() -> ModelDrafter:
            states.serve(self.model)
            return ModelDrafter(self.model, lambda token: False, self.n_ctx, n_vocab=4)

        self.drafter = LazyDrafter(load, 1.0, self.n_ctx, 4, states)

    def _check(self) -> None:
        if self.stopped:
            raise Cancelled

    def guess(self, text: Sequence[int]) -> list[int]:
        return [guess.token for guess in guesses(self.drafter, text, propose(seed=0), 3)]

    def end(self) -> "Run":
        self.drafter.close()
        self.drafter.close()
        return self


@pytest.fixture(params=[FILE, FOLDER])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StatePlace:
    is_folder = request.param is FOLDER
    return StatePlace(request.param(tmp_path), is_folder=is_folder, least_seconds=0.0, as_new=True)


def only(place: StatePlace) -> Path:
    draft = place.of_draft()
    [found] = draft.path.iterdir() if draft.is_folder else [draft.path]
    return found


@pytest.mark.parametrize("text", [[*DOCUMENT, 3, 3], [*DOCUMENT[:60], 2, 2, 1], DOCUMENT])
def test_a_warm_draft_reads_only_what_is_new_and_guesses_what_a_cold_one_guesses(place, tmp_path, text):
    run = Run(place)
    run.guess(DOCUMENT)
    run.end()
    assert only(place).stat().st_mode & 0o777 == 0o600
    warm = Run(place)
    [offer] = warm.drafter.offers(text, propose(seed=0))
    shared = 60 if text[60:63] == [2, 2, 1] else min(100, len(text) - 1)
    assert offer.behind == len(text) - 1 - shared
    assert offer.loading > 1
    assert warm.model.loads == []
    assert warm.guess(text) == Run(StatePlace(tmp_path / "cold", True, 0.0, False)).guess(text)
    assert len(warm.model.loads) == 1
    assert (run.shown, warm.shown) == ([""], [])  # a line in the middle of an answer would spoil it
    assert sum(warm.model.passes) == len(text) - shared + 2
    assert warm.told == []


def test_only_what_is_of_the_text_is_kept_and_not_its_wrong_guesses(place):
    run = Run(place)
    text = list(DOCUMENT)
    run.guess(text)
    text += [0, 0, 0]
    run.guess(text)
    assert len(run.model.cached) > len(text)
    run.end()
    assert read_tokens(only(place), "a draft").tokens == text


def test_a_draft_that_was_never_wanted_keeps_nothing(place):
    run = Run(place)
    run.drafter.offers(DOCUMENT, propose(seed=0))
    run.end()
    assert not place.of_draft().path.exists()


def test_a_window_on_a_longer_text_guesses_the_same_whatever_is_kept_of_its_beginning(place):
    run = Run(place)
    run.guess(DOCUMENT)
    run.end()
    text = [*DOCUMENT, 2, 2, 1]
    assert Run(place, n_ctx=40).guess(text) == Run(replace(place, path=place.path / "x"), n_ctx=40).guess(text)


def test_a_recurrent_draft_goes_on_where_it_ended(place):
    run = Run(place, forgets=True)
    path = place.of_draft().target("a draft", DOCUMENT)
    write_state(path, "a draft", KeptTokens(DOCUMENT, 0, 0.1, 200), memoryview(bytes(DOCUMENT) * 2))
    run.guess([*DOCUMENT, 1, 1])
    assert run.model.passes[0] == 2


@pytest.mark.parametrize("damage", [lambda content: content[:-1], lambda content: content[:-40] + bytes(40)])
def test_a_damaged_state_is_told_of_and_read_anew(place, tmp_path, damage):
    run = Run(place)
    run.guess(DOCUMENT)
    run.end()
    only(place).write_bytes(damage(only(place).read_bytes()))
    warm = Run(place)
    assert warm.guess(DOCUMENT) == run.guess(DOCUMENT)
    assert warm.model.loads == []
    [told] = warm.told
    assert "read anew" in told


def test_ctrl_c_while_a_state_is_loaded_leaves_the_draft_to_read(place):
    run = Run(place)
    run.guess(DOCUMENT)
    run.end()
    warm = Run(place)
    warm.stopped = True
    with pytest.raises(Cancelled):
        warm.guess(DOCUMENT)
    warm.stopped = False
    assert warm.guess(DOCUMENT) == run.guess(DOCUMENT)


def test_the_draft_of_a_named_file_has_one_beside_it(tmp_path):
    place = StatePlace(tmp_path / "my.state", is_folder=False, least_seconds=0.0, as_new=True)
    run = Run(place)
    run.guess(DOCUMENT)
    run.end()
    assert [path.name for path in tmp_path.iterdir()] == ["my.state.draft"]
