"""What is decided for models that people run, on machines that they have."""

from collections.abc import Sequence

import pytest

from specchat.speculative.devices import Device
from specchat.speculative.footprint.memory import LoadedBy, model_memory
from specchat.speculative.footprint.placing import Placed, Wanted
from specchat.speculative.footprint.plan import MARGIN, plan
from specchat.speculative.footprint.shape import ModelShape

from . import published as models
from .cases import Machine, decided
from .published import (
    CODER_0_5B,
    CODER_1_5B,
    CODER_7B,
    CODER_14B,
    CODER_32B,
    LLAMA_1B,
    LLAMA_8B,
    LLAMA_70B,
    MIXTRAL_8X7B,
    Q4_K,
    Q8_0,
    QWEN3_0_6B,
    QWEN3_30B_A3B,
    published,
)

ONE_OF_EACH = [
    (CODER_7B, CODER_0_5B),
    (CODER_14B, CODER_1_5B),
    (CODER_32B, CODER_1_5B),
    (LLAMA_8B, LLAMA_1B),
    (LLAMA_70B, LLAMA_1B),
    (QWEN3_30B_A3B, QWEN3_0_6B),
]
MACHINES = [
    Machine(6),
    Machine(28),
    Machine(60),
    Machine(28, (8,)),
    Machine(28, (12,)),
    Machine(60, (24,)),
    Machine(60, (48,)),
    Machine(120, (24, 8)),
    Machine(120, (8, 24)),
    Machine(120, (24, 24)),
    Machine(28, shared=28),
    Machine(120, shared=96),
]


@pytest.mark.parametrize(("name", "size"), models.SIZES.items())
def test_a_shape_weighs_what_the_published_file_has(name, size):
    shape: ModelShape = getattr(models, name)
    assert 0 < size - shape.weights < 4e6 + 0.006 * size


@pytest.mark.parametrize(
    ("machine", "target", "draft", "told"),
    [
        # one card
        (Machine(28, (8,)), CODER_7B, CODER_0_5B, "32k 0+29 | 9+16 n-grams"),
        (Machine(28, (8,)), CODER_14B, CODER_1_5B, "8k 17+32 | 29+0 drafts"),
        (Machine(28, (12,)), CODER_7B, CODER_0_5B, "32k 0+29 | 0+25 drafts"),
        (Machine(28, (12,)), LLAMA_8B, LLAMA_1B, "32k 0+33 | 0+17 drafts"),
        (Machine(60, (24,)), CODER_14B, CODER_1_5B, "32k 0+49 | 0+29 drafts"),
        (Machine(60, (48,)), CODER_32B, CODER_1_5B, "32k 0+65 | 0+29 drafts"),
        # the target fits alone, but not with this draft
        (Machine(28, (12,)), CODER_14B, CODER_1_5B, "8k 0+49 | 4+25 n-grams"),
        (Machine(60, (24,)), CODER_32B, CODER_1_5B, "16k 0+65 | 26+3 n-grams"),
        # 70B with 1B: what main memory has of it is so much that a draft beside it is fast
        (Machine(60, (24,)), LLAMA_70B, LLAMA_1B, "8k 39+42 | 17+0 drafts"),
        (Machine(60, (48,)), LLAMA_70B, LLAMA_1B, "16k 0+81 | 0+17 drafts"),
        (Machine(60), LLAMA_70B, LLAMA_1B, "32k 81 | 17 drafts"),
        # a mixture of experts
        (Machine(60, (24,)), QWEN3_30B_A3B, QWEN3_0_6B, "32k 0+49 | 13+16 n-grams"),
        (Machine(60, (48,)), QWEN3_30B_A3B, QWEN3_0_6B, "32k 0+49 | 0+29 drafts"),
        (Machine(60, (4,)), QWEN3_30B_A3B, QWEN3_0_6B, "8k 0+49 (47 apart) | 25+4 n-grams"),
        (Machine(60, (8,)), QWEN3_30B_A3B, QWEN3_0_6B, "8k 0+49 (35 apart) | 29+0 n-grams"),
        (Machine(60, (12,)), QWEN3_30B_A3B, QWEN3_0_6B, "8k 0+49 (23 apart) | 29+0 n-grams"),
        (Machine(12, (12,)), QWEN3_30B_A3B, None, "8k 0+49 (23 apart)"),
        (Machine(6, (12,)), QWEN3_30B_A3B, None, "8k 0+49 (23 apart), does not fit"),
        (Machine(60, (12, 8)), QWEN3_30B_A3B, None, "8k 0+31+18 (3 apart)"),
        (Machine(60, (12, 12)), QWEN3_30B_A3B, None, "32k 0+25+24"),
        (Machine(60, (8,)), MIXTRAL_8X7B, None, "8k 0+33 (28 apart)"),
        (Machine(60, (24,)), MIXTRAL_8X7B, None, "8k 0+33 (7 apart)"),
        (Machine(28, shared=12), QWEN3_30B_A3B, None, "8k 0+49 (22 apart)"),
        # unequal cards: the draft goes where there is room
        (Machine(120, (24, 8)), CODER_14B, CODER_1_5B, "32k 0+49+0 | 0+29+0 drafts"),
        (Machine(120, (24, 8)), CODER_32B, CODER_1_5B, "32k 0+56+9 | 0+0+29 drafts"),
        (Machine(120, (8, 24)), CODER_14B, CODER_1_5B, "32k 0+0+49 | 0+0+29 drafts"),
        (Machine(120, (24, 24)), LLAMA_70B, LLAMA_1B, "16k 0+41+40 | 14+1+2 n-grams"),
        # no card, or one that shares main memory
        (Machine(12), CODER_7B, CODER_0_5B, "32k 29 | 25 drafts"),
        (Machine(6), CODER_7B, None, "8k 29"),
        (Machine(28), LLAMA_70B, None, "8k 81, does not fit"),
        (Machine(28, shared=28), CODER_14B, CODER_1_5B, "32k 0+49 | 0+29 drafts"),
        (Machine(28, shared=28), LLAMA_70B, None, "8k 30+51, does not fit"),
        (Machine(120, shared=96), LLAMA_70B, LLAMA_1B, "32k 0+81 | 0+17 drafts"),
    ],
)
def test_what_is_decided(machine, target, draft, told):
    assert decided(machine, target, draft).told == told


@pytest.mark.parametrize(
    ("machine", "target", "draft", "gain", "told"),
    [
        (Machine(28, (12,)), CODER_14B, CODER_1_5B, 1.6, "8k 2+47 | 0+29 drafts, 1.37 x"),
        (Machine(28, (12,)), CODER_14B, CODER_1_5B, 1.3, "8k 0+49 | 4+25 n-grams"),
        (Machine(60, (24,)), CODER_32B, CODER_0_5B, 1.6, "16k 2+63 | 0+25 drafts, 1.29 x"),
        (Machine(60, (24,)), CODER_32B, CODER_1_5B, 1.6, "16k 0+65 | 26+3 n-grams"),
        (Machine(60, (12,)), QWEN3_30B_A3B, QWEN3_0_6B, 1.6, "8k 0+49 (27 apart) | 0+29 drafts, 1.12 x"),
        (Machine(60, (12,)), QWEN3_30B_A3B, QWEN3_0_6B, 1.1, "8k 0+49 (23 apart) | 29+0 n-grams"),
        (Machine(120, (24, 24)), LLAMA_70B, LLAMA_1B, 1.6, "16k 2+38+41 | 0+17+0 drafts, 1.23 x"),
    ],
)
def test_layers_give_way_to_a_draft_that_gains_more_than_they_cost(machine, target, draft, gain, told):
    assert decided(machine, target, draft, gain=gain).told == told


@pytest.mark.parametrize(
    ("context", "on_8_gb", "on_12_gb", "on_24_gb"),
    [
        (4096, "0+33 | 0+17 drafts", "0+33 | 0+17 drafts", "0+33 | 0+17 drafts"),
        (8192, "0+33 | 0+17 drafts", "0+33 | 0+17 drafts", "0+33 | 0+17 drafts"),
        (16384, "0+33 | 17+0 n-grams", "0+33 | 0+17 drafts", "0+33 | 0+17 drafts"),
        (32768, "8+25 | 17+0 n-grams", "0+33 | 0+17 drafts", "0+33 | 0+17 drafts"),
        (65536, "16+17 | 17+0 drafts", "6+27 | 17+0 n-grams", "0+33 | 0+17 drafts"),
        (131072, "23+10 | 17+0 drafts", "17+16 | 16+1 drafts", "0+33 | 10+7 n-grams"),
    ],
)
def test_longer_contexts_leave_room_for_less(context, on_8_gb, on_12_gb, on_24_gb):
    for size, told in ((8, on_8_gb), (12, on_12_gb), (24, on_24_gb)):
        found = decided(Machine(60, (size,)), LLAMA_8B, LLAMA_1B, context)
        assert found.told == f"{context // 1024}k {told}"


FITTED_BY_LLAMA_CPP = {
    "llama 70B": {
        ((3,), 8192): 5,
        ((3,), 32768): 4,
        ((7,), 8192): 14,
        ((7,), 32768): 11,
        ((11,), 8192): 22,
        ((11,), 32768): 18,
        ((22,), 8192): 45,
        ((22,), 32768): 38,
        ((22, 7), 8192): 59,
        ((22, 7), 32768): 48,
        ((7, 22), 8192): 59,
        ((7, 22), 32768): 49,
        ((11, 11), 8192): 44,
        ((11, 11), 32768): 36,
    },
    "coder 32B": {
        ((3,), 8192): 9,
        ((3,), 32768): 7,
        ((7,), 8192): 23,
        ((7,), 32768): 17,
        ((11,), 8192): 37,
        ((11,), 32768): 28,
        ((22,), 8192): 65,
        ((22,), 32768): 57,
        ((22, 7), 32768): 65,
        ((7, 22), 32768): 65,
        ((11, 11), 8192): 65,
        ((11, 11), 32768): 56,
    },
    "llama 8B": {((3,), 8192): 18, ((3,), 32768): 11, ((7,), 8192): 33, ((7,), 32768): 28, ((11,), 32768): 33},
    "coder 7B": {((3,), 8192): 19, ((3,), 32768): 14, ((7,), 8192): 29, ((7,), 32768): 29, ((7, 22), 32768): 29},
}
"""Layers on devices that have so many GiB of room each, and tokens of context: what `common_fit_params` of llama.cpp
0.3.36's copy found for files of these shapes, with all weights in Q4_K."""
_EVENLY = {
    "llama 70B": published(80, 8192, 28672, 64, 8, 128256, 131072, kinds=Q4_K),
    "coder 32B": published(64, 5120, 27648, 40, 8, 152064, 131072, kinds=Q4_K),
    "llama 8B": published(32, 4096, 14336, 32, 8, 128256, 131072, kinds=Q4_K),
    "coder 7B": published(28, 3584, 18944, 28, 4, 152064, 131072, kinds=Q4_K),
}


def on_cards(shape: ModelShape, rooms: Sequence[int], context: int) -> Placed:
    """Where a model goes with so many tokens of context, and cards that have so many GiB of room each."""
    cards = [Device(f"CUDA{place}", "", MARGIN + room * 2**30, 32 << 30, "GPU") for place, room in enumerate(rooms)]
    wanted = Wanted(memory=model_memory(shape, LoadedBy(context=context, rows=17)))
    found = plan(wanted, None, [Device("CPU", "", 200 << 30, 200 << 30, "CPU"), *cards])
    assert found is not None
    return found.target


@pytest.mark.parametrize(
    ("name", "rooms", "context", "layers"),
    [(name, *case, layers) for name, cases in FITTED_BY_LLAMA_CPP.items() for case, layers in cases.items()],
)
def test_as_many_layers_fit_as_llama_cpp_finds_or_one_less_a_device(name, rooms, context, layers):
    """The one less is room for reading layers that stay behind, of which servers' devices have no need."""
    assert layers - len(rooms) <= on_cards(_EVENLY[name], rooms, context).on_devices <= layers


MIXTURES_FITTED_BY_LLAMA_CPP = {
    "qwen3 30B A3B": {
        ((3,), 8192): (49, 44),
        ((3,), 32768): (33, 31),
        ((5,), 8192): (49, 38),
        ((5,), 32768): (49, 45),
        ((7,), 8192): (49, 31),
        ((7,), 32768): (49, 38),
        ((11,), 8192): (49, 19),
        ((11,), 32768): (49, 26),
        ((15,), 8192): (49, 6),
        ((15,), 32768): (49, 13),
        ((22,), 32768): (49, 0),
        ((7, 5), 8192): (49, 17),
        ((7, 5), 32768): (49, 24),
        ((11, 7), 8192): (49, 1),
        ((11, 7), 32768): (49, 5),
        ((7, 11), 8192): (49, 1),
        ((7, 11), 32768): (49, 5),
    },
    "gpt-oss 20B": {
        ((3,), 8192): (25, 23),
        ((3,), 32768): (17, 15),
        ((5,), 8192): (25, 20),
        ((5,), 32768): (25, 22),
        ((7,), 8192): (25, 18),
        ((7,), 32768): (25, 19),
        ((11,), 8192): (25, 13),
        ((11,), 32768): (25, 14),
        ((15,), 8192): (25, 8),
        ((15,), 32768): (25, 9),
        ((22,), 32768): (25, 0),
        ((7, 5), 8192): (25, 13),
        ((7, 5), 32768): (25, 14),
        ((11, 7), 8192): (25, 5),
        ((11, 7), 32768): (25, 7),
        ((7, 11), 8192): (25, 5),
        ((7, 11), 32768): (25, 7),
    },
    "mixtral 8x7B": {
        ((3,), 8192): (33, 31),
        ((3,), 32768): (14, 12),
        ((5,), 8192): (33, 28),
        ((5,), 32768): (28, 26),
        ((7,), 8192): (33, 26),
        ((7,), 32768): (33, 30),
        ((11,), 8192): (33, 20),
        ((11,), 32768): (33, 24),
        ((15,), 8192): (33, 15),
        ((15,), 32768): (33, 19),
        ((22,), 8192): (33, 5),
        ((22,), 32768): (33, 9),
        ((7, 5), 8192): (33, 20),
        ((7, 5), 32768): (33, 24),
        ((11, 7), 8192): (33, 12),
        ((11, 7), 32768): (33, 16),
        ((7, 11), 8192): (33, 12),
        ((7, 11), 32768): (33, 16),
    },
}
"""The same for mixtures of experts: layers on devices, and those of them with experts that are not, or not all."""
_MIXTURES = {
    "qwen3 30B A3B": published(48, 2048, 768, 32, 4, 151936, 131072, experts=128, used=8, kinds=Q4_K),
    "gpt-oss 20B": published(24, 2880, 2880, 64, 8, 201088, 131072, head=64, experts=32, used=4, kinds=Q8_0),
    "mixtral 8x7B": published(32, 4096, 14336, 32, 8, 32000, 131072, experts=8, used=2, kinds=Q4_K),
}


@pytest.mark.parametrize(
    ("name", "rooms", "context", "fitted"),
    [(name, *case, fitted) for name, cases in MIXTURES_FITTED_BY_LLAMA_CPP.items() for case, fitted in cases.items()],
)
def test_as_many_experts_fit_as_llama_cpp_finds_or_those_of_one_layer_less_a_device(name, rooms, context, fitted):
    """As above, the one less is room for reading: llama.cpp was asked on servers, which need none."""
    layers, apart = fitted
    found = on_cards(_MIXTURES[name], rooms, context)
    assert layers - len(rooms) <= found.on_devices <= layers
    assert layers - apart - len(rooms) <= found.on_devices - found.apart <= layers - apart + 1


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("target", "draft"), ONE_OF_EACH)
@pytest.mark.parametrize("gain", [1.0, 1.6, 5.0])
def test_no_device_is_filled_beyond_its_margin(machine, target, draft, gain):
    found = decided(machine, target, draft, gain=gain).plan
    for place, device in enumerate(found.places[1:], 1):
        assert found.needed(place) <= device.free - MARGIN
    assert not found.fits or found.needed(0) <= found.places[0].free - MARGIN


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("target", "draft"), ONE_OF_EACH)
def test_a_draft_decides_neither_the_context_nor_a_layer_unless_it_was_measured(machine, target, draft):
    alone, drafted = decided(machine, target), decided(machine, target, draft)
    assert (drafted.context, drafted.plan.target) == (alone.context, alone.plan.target)
    measured = decided(machine, target, draft, gain=1.6)
    assert measured.context == alone.context
    assert measured.plan.slowdown * 1.05 <= 1.6


@pytest.mark.parametrize(("target", "draft"), ONE_OF_EACH)
def test_a_longer_context_costs_no_layer(target, draft):
    for machine in MACHINES:
        longest, short = decided(machine, target), decided(machine, target, context=8192)
        assert longest.plan.target.on_devices == short.plan.target.on_devices


@pytest.mark.parametrize(("target", "draft"), ONE_OF_EACH)
def test_more_memory_never_means_fewer_layers_on_devices(target, draft):
    sizes = [decided(Machine(60, (size,)), target, draft, 8192).plan for size in range(2, 60, 3)]
    for name in ("target", "draft"):
        counts = [getattr(found, name).on_devices for found in sizes]
        assert name == "draft" or counts == sorted(counts)
        assert counts[0] <= counts[-1] == getattr(sizes[-1], name).layers
