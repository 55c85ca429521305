"""A draft whose context is shorter than the text: it guesses on from the latest of it."""

from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.drafting import ModelDrafter, window
from specchat.speculative.lazy import LazyDrafter

from .fakes import FakeModel, guesses, propose


@given(st.integers(2, 200), st.integers(1, 2000))
def test_a_window_is_the_beginning_and_the_end_of_a_text_and_leaves_room_for_a_guess(n_ctx: int, length: int):
    text = list(range(length))
    seen = window(text, n_ctx)
    assert 1 <= len(seen) < n_ctx
    assert len(seen) >= min(length, n_ctx // 2)
    assert seen[-1] == text[-1]
    gaps = sum(after != before + 1 for before, after in pairwise(seen))
    assert gaps == (len(seen) < length and n_ctx >= 8)
    assert seen == text or length >= n_ctx


@given(st.integers(8, 200))
def test_a_window_moves_so_seldom_that_about_a_token_is_read_again_for_each_new_one(n_ctx: int):
    read, cached = 0, []
    for length in range(1, 20 * n_ctx):
        seen = list(window(range(length), n_ctx))
        same = next((i for i, pair in enumerate(zip(seen, cached, strict=False)) if pair[0] != pair[1]), None)
        read += len(seen) - (min(len(seen), len(cached)) if same is None else same)
        cached = seen
    assert read <= 2.2 * 20 * n_ctx


def drafter(told: list[str], n_ctx: int = 20) -> ModelDrafter:
    model = FakeModel(memory=3)
    return ModelDrafter(model, lambda token: False, n_ctx=n_ctx, n_vocab=4, beyond=lambda: told.append("beyond"))


def tokens(of: ModelDrafter | LazyDrafter, context: Sequence[int]) -> list[int]:
    return [guess.token for guess in guesses(of, context, propose(seed=0))]


def test_it_guesses_past_its_context_what_one_with_a_longer_context_guesses():
    """As long as what it sees is all that matters."""
    told: list[str] = []
    short, long = drafter(told), drafter(told, n_ctx=1000)
    for length in range(15, 90):
        context = [(length * place) % 4 for place in range(length)]
        found = tokens(short, context)
        assert found == tokens(long, context)[: len(found)]
        assert len(found) == 20 - len(window(context, 20)) >= 1
        assert bool(told) == (length >= 20)


def test_what_is_behind_is_the_window_alone_loaded_or_not():
    context = [0, 1, 2, 3] * 25
    lazy = LazyDrafter(lambda: drafter([]), 1.0, n_ctx=20, n_vocab=4)
    [before] = lazy.offers(context, propose(seed=0))
    lazy.load_now()
    [after] = lazy.offers(context, propose(seed=0))
    assert before.behind == after.behind == len(window(context, 20)) - 1 < 20
    tokens(lazy, context)
    [read] = lazy.offers(context, propose(seed=0))
    assert read.behind == 0


def test_a_token_that_only_the_target_knows_matters_while_it_is_in_the_window():
    lazy = LazyDrafter(lambda: drafter([]), 1.0, n_ctx=20, n_vocab=4)
    assert lazy.offers([1] * 30 + [7], propose(seed=0)) == ()
    assert lazy.offers([1] * 30 + [7] + [1] * 30, propose(seed=0)) != ()
