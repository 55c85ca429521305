"""Which layers go where."""

import pytest

from specchat.speculative.devices import Device
from specchat.speculative.footprint.context import longest_context
from specchat.speculative.footprint.plan import MARGIN, plan
from specchat.speculative.footprint.spread import Share, split, spread

from .making import GB, card, main_memory, memory, model, shared

CARD_AND_MORE = [main_memory(30), card(30), card(10, "CUDA1")]


def on_devices(found):
    return [placed.on_devices for placed in found.models]


def test_without_a_gpu_main_memory_holds_all_or_it_does_not_fit():
    assert plan(model(), None, [main_memory(12)], 0).fits
    assert not plan(model(), None, [main_memory(10)], 0).fits
    assert plan(model(), None, [main_memory(10)], 0).needed(0) == 11 * GB


def test_where_main_memory_is_not_known_there_is_no_plan():
    assert plan(model(), None, []) is None
    assert plan(model(), None, [card(100)]) is None


@pytest.mark.parametrize(("free", "layers"), [(100, 11), (11, 11), (10, 9), (4, 3), (0, 0)])
def test_a_card_gets_the_layers_that_it_holds_and_room_to_read_one_of_the_others(free, layers):
    found = plan(model(), None, [main_memory(20), card(free)], 0)
    assert (found.fits, on_devices(found)) == (True, [layers])
    assert found.needed(0) == (11 - layers) * GB
    assert found.target.shares[1].weights == layers * GB
    assert found.needed(1) <= free * GB


def test_a_margin_stays_free_everywhere():
    found = plan(model(), None, [main_memory(20), card(11)], GB)
    assert on_devices(found) == [9]
    assert not plan(model(), None, [main_memory(11)], GB).fits
    assert MARGIN == 2**30


def test_what_neither_holds_alone_both_hold():
    assert on_devices(plan(model(), None, [main_memory(7), card(5)], 0)) == [4]
    found = plan(model(), None, [main_memory(6), card(5)], 0)
    assert (found.fits, on_devices(found)) == (False, [4])


def test_the_cache_of_a_layer_is_where_the_layer_is():
    found = plan(model(cache=GB), None, [main_memory(20), card(11)], 0)
    assert on_devices(found) == [5]
    assert found.target.shares[1] == Share(5 * GB, 5 * GB, GB)


def test_what_is_kept_and_logits_stay_in_main_memory_and_a_tied_output_is_a_copy():
    tied = memory(kept=3 * GB, copied=3 * GB, compute=2, passing=1, logits=10)
    assert spread(tied, [(1, 11)], CARD_AND_MORE[:2]) == (Share(3 * GB, 0, 11), Share(14 * GB, 0, 2))
    assert spread(tied, [], CARD_AND_MORE[:2]) == (Share(14 * GB, 0, 12), Share())
    assert spread(tied, [(1, 1)], CARD_AND_MORE[:2]) == (Share(13 * GB, 0, 12), Share(4 * GB, 0, 2 + GB))


def test_cards_that_are_not_needed_get_nothing():
    found = plan(model(11), None, CARD_AND_MORE, 0)
    assert found.target.runs == ((1, 12),)
    found = plan(model(11), None, [CARD_AND_MORE[0], *CARD_AND_MORE[:0:-1]], 0)
    assert found.target.runs == ((2, 12),)


def test_what_one_card_cannot_hold_goes_on_on_the_next():
    assert plan(model(31), None, CARD_AND_MORE, 0).target.runs == ((1, 30), (2, 2))
    found = plan(model(49), None, CARD_AND_MORE, 0)
    assert (found.target.runs, found.target.behind) == (((1, 29), (2, 10)), 11 * GB)


def test_where_cards_take_turns_what_goes_in_is_kept_four_times():
    first, second = spread(memory(compute=10, passing=2), [(1, 5), (2, 6)], CARD_AND_MORE)[1:]
    assert (first.compute, second.compute) == (16, 16)
    assert spread(memory(compute=10, passing=2), [(1, 5), (2, 5)], CARD_AND_MORE)[2].compute == 10


def test_layers_are_split_as_llama_cpp_splits_them():
    assert split([30, 10], 12) == (9, 3)
    assert split([1, 0, 1], 11) == (6, 0, 5)
    assert split([0, 0], 5) == (5, 0)
    assert split([], 5) == ()


@pytest.mark.parametrize("n_layers", range(1, 60))
def test_a_split_by_numbers_of_layers_gives_each_device_its_number(n_layers):
    for first in range(n_layers + 1):
        assert split([first, n_layers - first], n_layers) == (first, n_layers - first)


def test_what_shares_the_memory_of_the_cpu_is_counted_there_too():
    found = plan(model(), None, [main_memory(20), shared(16)], 0)
    assert (found.fits, found.needed(0), found.needed(1)) == (True, 11 * GB, 11 * GB)
    assert not plan(model(), None, [main_memory(10), shared(16)], 0).fits
    metal = Device("MTL0", "M4", 16 * GB, 16 * GB, "GPU")
    assert not plan(model(), None, [main_memory(10), metal], 0).fits


def test_what_shares_the_memory_takes_no_layers_beside_a_card_unless_it_is_named():
    devices = [main_memory(20), shared(16), card(4)]
    found = plan(model(), None, devices, 0)
    assert ([place.name for place in found.places], on_devices(found)) == (["CPU", "CUDA0"], [3])
    named = plan(model(wish={"devices": ("vulkan0",)}), None, devices, 0)
    assert ([place.name for place in named.places], on_devices(named)) == (["CPU", "Vulkan0"], [11])


def test_a_card_that_does_not_say_what_is_free_gets_nothing():
    assert on_devices(plan(model(), None, [main_memory(20), card(0), card(0, "CUDA1")], 0)) == [0]


@pytest.mark.parametrize("layers", [0, 3, 11, -1])
def test_a_number_of_layers_is_obeyed_whether_it_fits_or_not(layers):
    found = plan(model(wish={"layers": layers}), None, [main_memory(20), card(5)], 0)
    assert found.target.on_devices == (11 if layers == -1 else layers)
    assert found.fits == (layers in (0, 3))


def test_a_split_is_obeyed_and_the_layers_are_as_many_as_it_lets_fit():
    found = plan(model(31, wish={"parts": (1, 1)}), None, CARD_AND_MORE, 0)
    assert found.target.runs == ((1, 11), (2, 10))
    found = plan(model(31, wish={"parts": (1,), "layers": -1}), None, CARD_AND_MORE, 0)
    assert (found.target.runs, found.fits) == (((1, 32),), False)


def test_only_named_devices_get_layers_and_in_their_order():
    assert plan(model(wish={"devices": ("CUDA1",)}), None, CARD_AND_MORE, 0).target.runs == ((1, 9),)
    assert plan(model(wish={"devices": ()}), None, CARD_AND_MORE, 0).target.runs == ()
    both = {"devices": ("cuda1", "cuda0"), "layers": -1}
    assert plan(model(35, wish=both), None, CARD_AND_MORE, 0).target.runs == ((2, 10), (1, 26))


def test_a_draft_takes_what_the_target_leaves():
    for free in range(25):
        devices = [main_memory(30), card(free)]
        alone, found = plan(model(), None, devices, 0), plan(model(), model(4), devices, 0)
        assert found.target == alone.target
        assert found.needed(1) <= free * GB
        assert found.draft.whole == (free >= 16)


def test_a_draft_goes_to_the_card_that_has_room_for_all_of_it():
    found = plan(model(28), model(4), CARD_AND_MORE, 0)
    assert (found.target.runs, found.draft.runs, found.suits_draft) == (((1, 29),), ((2, 5),), True)


def test_a_draft_that_has_no_room_leaves_the_target_alone():
    found = plan(model(), model(4), [main_memory(13)], 0)
    assert (found.target.fits, found.draft.fits, found.fits, found.suits_draft) == (True, False, False, False)


def test_a_draft_in_main_memory_is_fast_enough_only_beside_layers_that_dwarf_it():
    devices = [main_memory(60), card(10)]
    assert plan(model(), model(0), devices, 0).target.on_devices == 9
    assert not plan(model(), model(0), devices, 0).suits_draft
    assert plan(model(30), model(2), devices, 0).suits_draft
    assert plan(model(), model(9), devices[:1], 0).suits_draft


def test_layers_give_way_to_a_draft_only_if_its_gain_outweighs_them():
    devices = [main_memory(60), card(40)]
    target, draft = model(39, 950_000_000), model(0)
    beside = plan(target, draft, devices, 0)
    assert (beside.target.whole, beside.draft.on_devices, beside.slowdown) == (True, 1, 1.0)
    tight, alone = [main_memory(60), card(38)], plan(target, None, [main_memory(60), card(38)], 0)
    assert alone.target.whole
    for gain in (1.0, 1.4, 1.7):
        assert plan(target, draft, tight, 0, gain).target == alone.target
    pushed = plan(target, draft, tight, 0, 1.8)
    assert (pushed.target.on_devices, pushed.draft.whole, pushed.fits) == (37, True, True)
    assert pushed.slowdown == pytest.approx((37 + 30) / 40)
    assert plan(target, model(0, wish={"devices": ("cuda0",)}), tight, 0, 1.8).slowdown == pushed.slowdown
    assert plan(target, model(0, wish={"devices": ()}), tight, 0, 1.8).target == alone.target


def test_no_layer_gives_way_where_a_number_was_asked_for():
    tight = [main_memory(60), card(38)]
    target = model(39, 950_000_000)
    assert plan(target, model(0, wish={"layers": 0}), tight, 0, 9.0).target.whole
    assert plan(model(39, 950_000_000, wish={"layers": -1}), model(0), tight, 0, 9.0).target.whole


def context(*devices, trained=131072):
    return longest_context(lambda tokens: model(cache=tokens * 10_000), trained, devices, margin=0)


def test_a_context_is_the_longest_that_costs_no_layer():
    """Ten layers, each 1 GB and 0.08, 0.16 or 0.33 GB of cache."""
    assert context(main_memory(60), card(15)) == 32768
    assert context(main_memory(60), card(13)) == 16384
    assert context(main_memory(60), card(12)) == 8192
    assert context(main_memory(60), card(4)) == 32768
    assert context(main_memory(60), card(6)) == 16384
    assert context(main_memory(60), card(11)) == 8192


def test_without_a_card_a_context_fits_main_memory():
    assert [context(main_memory(free)) for free in (15, 13, 12, 1)] == [32768, 16384, 8192, 8192]


def test_no_context_is_longer_than_the_model_was_trained_on():
    assert context(main_memory(60), trained=4096) == 4096
    assert context(main_memory(60), trained=20000) == 20000
    assert context(main_memory(12), trained=20000) == 8192


def test_where_nothing_is_known_of_memory_a_context_is_short():
    assert context() == 8192


def test_a_draft_that_may_go_to_no_device_is_well_off_in_main_memory():
    found = plan(model(), model(4, wish={"devices": ()}), [main_memory(60), card(50, "RPC0")], 0)
    assert (found.target.whole, found.draft.on_devices, found.suits_draft) == (True, 0, True)


def test_devices_of_other_machines_get_what_those_of_this_one_cannot_hold():
    devices = [main_memory(60), card(50, "RPC0"), card(10)]
    assert plan(model(8), None, devices, 0).target.runs == ((2, 9),)
    assert plan(model(14), None, devices, 0).target.runs == ((1, 15),)
    assert plan(model(80), None, devices, 0).target.runs == ((1, 50), (2, 9))


MIXTURE = {"each": 10 * GB, "experts": 9 * GB}
"""Three layers of 10 GB, of which 9 are experts, and an output of 10 GB."""


@pytest.mark.parametrize(
    ("free", "layers", "apart"),
    [
        (100, 4, 0),
        (40, 4, 0),
        (39, 4, 2),
        (31, 4, 2),
        (30, 4, 3),
        (22, 4, 3),
        (21, 3, 2),
        (20, 2, 1),
        (19, 1, 0),
        (18, 0, 0),
    ],
)
def test_experts_stay_behind_before_layers_do_and_leave_room_to_be_read(free, layers, apart):
    found = plan(model(3, **MIXTURE), None, [main_memory(60), card(free)], 0)
    assert (found.fits, found.target.on_devices, found.target.apart) == (True, layers, apart)
    assert found.needed(0) + found.target.shares[1].weights == 40 * GB
    assert found.needed(1) <= free * GB


@pytest.mark.parametrize("experts", [0, 1, 2, 3, 9, -1])
@pytest.mark.parametrize("layers", [None, 2, -1])
def test_experts_that_are_to_stay_behind_do_and_no_others(experts, layers):
    wish = {"experts": experts, "layers": layers}
    found = plan(model(3, wish=wish, **MIXTURE), None, [main_memory(60), card(32)], 0)
    assert found.target.experts == (3 if experts in (9, -1) else experts)
    assert found.target.on_devices == {None: 2 if experts in (0, 1) else 4, 2: 2, -1: 4}[layers]
    assert found.fits == (found.needed(1) <= 32 * GB)


def test_a_number_of_layers_is_kept_by_leaving_experts_behind():
    found = plan(model(3, wish={"layers": -1}, **MIXTURE), None, [main_memory(60), card(31)], 0)
    assert (found.fits, found.target.on_devices, found.target.apart) == (True, 4, 2)
    crowded = plan(model(3, wish={"layers": -1}, **MIXTURE), None, [main_memory(60), card(5)], 0)
    assert (crowded.fits, crowded.target.on_devices, crowded.target.apart) == (False, 4, 0)


def test_a_second_card_takes_what_would_stay_behind():
    found = plan(model(3, **MIXTURE), None, [main_memory(60), card(25), card(25, "CUDA1")], 0)
    assert (found.target.runs, found.target.apart) == (((1, 2), (2, 2)), 0)
    found = plan(model(3, **MIXTURE), None, [main_memory(60), card(25), card(12, "CUDA1")], 0)
    assert (found.target.runs, found.target.apart) == (((1, 3), (2, 1)), 2)


def test_where_experts_stay_behind_cards_take_no_turns_and_main_memory_computes():
    parted = memory(3, 10, experts=9, compute=100, passing=20).keeping_experts(1)
    places = [main_memory(60), card(50), card(50, "CUDA1")]
    main, first, second = spread(parted, [(1, 2), (2, 2)], places)
    assert (main.weights, main.compute) == (9, 100)
    assert (first.weights, first.compute) == (11, 109)
    assert (second.weights, second.compute) == (20, 100)


def test_experts_that_a_token_does_not_go_through_make_no_draft_fast_beside_them():
    devices = [main_memory(100), card(22)]
    for idle, suits in ((0, True), (8 * GB, False)):
        found = plan(model(3, idle=idle, **MIXTURE), model(0, 2 * GB), devices, 0)
        assert (found.target.apart, found.draft.on_devices, found.suits_draft) == (3, 0, suits)
        assert found.target.behind == 3 * (9 * GB - idle)
        assert found.target.ahead == 13 * GB


def test_a_context_is_the_longest_that_costs_no_experts():
    """The same model, with 0.8, 1.6 or 3.3 GB of cache a layer."""

    def at(tokens):
        return model(3, cache=tokens * 100_000, **MIXTURE)

    def longest(free):
        return longest_context(at, 131072, [main_memory(60), card(free)], margin=0)

    assert [longest(free) for free in (54, 50, 44, 40)] == [32768, 16384, 8192, 16384]


def test_the_first_device_of_this_machine_reads_long_texts_for_main_memory_and_no_other_machine_does():
    places = [main_memory(60), card(50, "RPC0"), card(10), card(10, "CUDA1")]
    shares = spread(memory(compute=10), [(1, 3), (2, 3), (3, 3)], places)
    assert [share.compute for share in shares[1:]] == [10, 10 + GB, 10]


def test_a_device_that_has_the_output_alone_computes_little_unless_it_reads_for_main_memory():
    sizes = memory(compute=10, finishing=3)
    places = [main_memory(60), card(50), card(50, "CUDA1")]
    assert spread(sizes, [(1, 10), (2, 1)], places)[2] == Share(GB, 0, 3)
    assert spread(sizes, [(1, 9), (2, 2)], places)[2] == Share(2 * GB, 0, 10)
    assert spread(sizes, [(1, 1)], places)[1] == Share(GB, 0, 10 + GB)
    assert spread(sizes, [(1, 1)], [places[0], card(50, "RPC0")])[1] == Share(GB, 0, 3)
