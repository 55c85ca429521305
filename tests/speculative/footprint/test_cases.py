"""What is decided for models that people run, on machines that they have."""

import pytest

from specchat.speculative.footprint.plan import MARGIN
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
    QWEN3_0_6B,
    QWEN3_30B_A3B,
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
        # unequal cards: the draft goes where there is room
        (Machine(120, (24, 8)), CODER_14B, CODER_1_5B, "32k 0+49+0 | 0+29+0 drafts"),
        (Machine(120, (24, 8)), CODER_32B, CODER_1_5B, "32k 0+56+9 | 0+0+29 drafts"),
        (Machine(120, (8, 24)), CODER_14B, CODER_1_5B, "32k 0+0+49 | 0+0+29 drafts"),
        (Machine(120, (24, 24)), LLAMA_70B, LLAMA_1B, "16k 0+41+40 | 13+1+3 n-grams"),
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
