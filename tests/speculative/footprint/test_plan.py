"""Which layers go where."""

import pytest

from specchat.speculative.devices import Device
from specchat.speculative.footprint.plan import MARGIN, plan
from specchat.speculative.footprint.spread import Share, spread

from .making import GB, card, main_memory, model, shared


def on_devices(found):
    return [placed.on_devices for placed in found.models]


def test_without_a_gpu_main_memory_holds_all_or_it_does_not_fit():
    assert plan(model(), None, [main_memory(12)], 0).fits
    assert not plan(model(), None, [main_memory(10)], 0).fits
    assert plan(model(), None, [main_memory(10)], 0).needed(0) == 11 * GB


def test_where_main_memory_is_not_known_there_is_no_plan():
    assert plan(model(), None, []) is None
    assert plan(model(), None, [card(100)]) is None


@pytest.mark.parametrize(("free", "layers"), [(100, 11), (11, 11), (10, 10), (4, 4), (0, 0)])
def test_a_card_gets_the_layers_that_it_holds(free, layers):
    found = plan(model(), None, [main_memory(20), card(free)], 0)
    assert (found.fits, on_devices(found)) == (True, [layers])
    assert [found.needed(0), found.needed(1)] == [(11 - layers) * GB, layers * GB]


def test_a_margin_stays_free_everywhere():
    found = plan(model(), None, [main_memory(20), card(11)], GB)
    assert on_devices(found) == [10]
    assert not plan(model(), None, [main_memory(11)], GB).fits
    assert MARGIN == 2**30


def test_what_neither_holds_alone_both_hold():
    assert on_devices(plan(model(), None, [main_memory(6), card(5)], 0)) == [5]
    found = plan(model(), None, [main_memory(5), card(5)], 0)
    assert (found.fits, on_devices(found)) == (False, [5])


def test_the_cache_of_a_layer_is_where_the_layer_is():
    found = plan(model(cache=GB), None, [main_memory(20), card(10)], 0)
    assert on_devices(found) == [5]
    assert found.target.shares[1] == Share(5 * GB, 5 * GB)


def test_embeddings_and_logits_stay_in_main_memory_and_a_tied_output_is_a_copy():
    tied = model(embeddings=3 * GB, copied=3 * GB, compute=2, passing=1, logits=10)
    assert spread(tied, 11, [1]) == (Share(3 * GB, 0, 11), Share(14 * GB, 0, 2))
    assert spread(tied, 0, [1]) == (Share(14 * GB, 0, 12), Share())
    assert spread(tied, 1, [1]) == (Share(13 * GB, 0, 12), Share(4 * GB, 0, 2))


def test_a_draft_takes_what_the_target_leaves():
    draft = model(4)
    for free in range(25):
        devices = [main_memory(30), card(free)]
        alone, found = plan(model(), None, devices, 0), plan(model(), draft, devices, 0)
        assert found.target == alone.target
        assert found.draft.on_devices == max(0, min(5, free - 11))
        assert found.needed(1) <= free * GB


def test_a_draft_that_has_no_room_leaves_the_target_alone():
    found = plan(model(), model(4), [main_memory(13)], 0)
    assert (found.target.fits, found.draft.fits, found.fits) == (True, False, False)


def test_cards_share_layers_by_what_is_free():
    found = plan(model(11), None, [main_memory(1), card(30), card(10, "CUDA1")], 0)
    assert [share.weights // GB for share in found.target.shares] == [0, 9, 3]


def test_where_cards_take_turns_what_goes_in_is_kept_four_times():
    first, second = spread(model(compute=10, passing=2), 11, [1, 1])[1:]
    assert (first.compute, second.compute) == (16, 16)
    assert spread(model(compute=10, passing=2), 10, [1, 1])[1].compute == 10


def test_what_shares_the_memory_of_the_cpu_is_counted_there_too():
    found = plan(model(), None, [main_memory(20), shared(16)], 0)
    assert (found.fits, found.needed(0), found.needed(1)) == (True, 11 * GB, 11 * GB)
    assert not plan(model(), None, [main_memory(10), shared(16)], 0).fits
    metal = Device("MTL0", "M4", 16 * GB, 16 * GB, "GPU")
    assert not plan(model(), None, [main_memory(10), metal], 0).fits


def test_what_shares_the_memory_takes_no_layers_beside_a_card():
    found = plan(model(), None, [main_memory(20), shared(16), card(4)], 0)
    assert ([place.name for place in found.places], on_devices(found)) == (["CPU", "CUDA0"], [4])


def test_a_card_that_does_not_say_what_is_free_gets_nothing():
    assert on_devices(plan(model(), None, [main_memory(20), card(0), card(0)], 0)) == [0]
