"""Which states are kept of a text, and how many steps back llama.cpp keeps them itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.llama.checkpoints import Checkpoints
from specchat.speculative.llama.snapshots import snapshots


def save_all(buffer):
    return np.zeros(10, np.uint8) if buffer is None else buffer


steps = st.lists(st.tuples(st.sampled_from(("keep", "guess", "cut")), st.integers(1, 60)), max_size=60)


@given(steps, st.integers(0, 60))
def test_the_last_state_up_to_a_place_is_the_nearest_that_was_saved(steps, wanted):
    checkpoints, length, kept, guess = Checkpoints(10_000), 0, set(), 0
    for step, count in steps:
        if step == "cut":
            length = max(0, length - count)
            checkpoints.cut(length)
            kept, guess = {place for place in kept if place <= length}, guess if guess <= length else 0
        elif len(kept) < 16:
            length += count
            if step == "keep":
                checkpoints.keep(length, save_all)
                kept.add(length)
            else:
                checkpoints.guess(length, save_all)
                guess = length
    nearest = max((place for place in {*kept, guess} if 0 < place <= wanted), default=0)
    assert (checkpoints.last(wanted) or (0, None))[0] == nearest


@pytest.mark.parametrize(("room", "most"), [(0, 2), (55, 5), (10_000, 16)])
def test_states_take_no_more_than_the_room_and_grow_sparse_with_their_distance(room, most):
    checkpoints = Checkpoints(room)
    for length in range(10, 5000, 10):
        checkpoints.keep(length, save_all)
    places = {found[0] for wanted in range(5000) if (found := checkpoints.last(wanted))}
    assert len(places) == most
    for distance in (100, 1000, 2000):
        found = checkpoints.last(4990 - distance)
        lost = 4990 - distance - (found[0] if found else 0)
        assert most < 16 or lost <= distance


def test_buffers_are_used_again():
    checkpoints, made = Checkpoints(20), []

    def save(buffer):
        if buffer is None:
            made.append(np.zeros(10, np.uint8))
        return made[-1] if buffer is None else buffer

    for length in range(1, 100):
        checkpoints.keep(length, save)
        checkpoints.guess(1000 + length, save)
        checkpoints.cut(1000 + length)
    assert len(made) == 3


def test_a_state_that_cannot_be_saved_is_none():
    checkpoints = Checkpoints(100)
    checkpoints.keep(5, lambda buffer: None)
    checkpoints.guess(6, lambda buffer: None)
    assert checkpoints.last(10) is None


@pytest.mark.parametrize(
    ("facts", "size", "count"),
    [
        # like LFM2 1.2B, Qwen3.5 4B and 27B at 4 bits; then files that do not say how large a state is
        ({"block_count": 16, "embedding_length": 2048, "shortconv.l_cache": 3}, 7e8, 16),
        ({"block_count": 32, "ssm.inner_size": 4096, "ssm.state_size": 128, "ssm.conv_kernel": 4}, 2.6e9, 4),
        ({"block_count": 64, "ssm.inner_size": 6144, "ssm.state_size": 128, "ssm.conv_kernel": 4}, 1.6e10, 9),
        ({"block_count": 64}, 1.6e10, 0),
        ({"block_count": 64, "ssm.inner_size": "many"}, 1.6e10, 0),
    ],
)
def test_snapshots_take_no_more_than_an_eighth_of_what_the_weights_take(facts, size, count):
    values = {"general.architecture": "any", **{f"any.{key}": str(value) for key, value in facts.items()}}
    assert snapshots(values.get, int(size)) == count
