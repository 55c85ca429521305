"""Plans against what llama.cpp says that it allocates, on servers of this machine that stand for devices."""

from dataclasses import replace

import pytest

from specchat.cli.memory.plan import memory_plan
from specchat.profiles.seen_model import see_file
from specchat.speculative.devices import Device
from specchat.speculative.footprint.memory import model_memory
from specchat.speculative.footprint.plan import MARGIN
from specchat.speculative.footprint.spread import Share
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig

from ..llama.allocated import MIB, reported_alone
from .placed import devices
from .servers import needs_rpc

pytestmark = needs_rpc
_ROUNDED = 0.02 * MIB
"""Bytes: the log has two places behind the point, for each of up to two caches."""
CONFIG = LlamaConfig(threads=1, n_ctx=4096, mmap=False)


@pytest.fixture(scope="module")
def servers():
    """The names of the devices of two of them, by where they listen."""
    with devices(2) as there:
        yield {device.description: device.name for device in there if device.is_remote}


def fitted(path, shape, servers, rooms):
    """The settings and the plan where the devices of servers have so much room."""
    main = Device("CPU", "", 64 << 30, 64 << 30, "CPU")
    cards = [
        Device(name, endpoint, MARGIN + room, MARGIN + room, "GPU")
        for (endpoint, name), room in zip(servers.items(), rooms, strict=False)
    ]
    config = PairConfig(target=path, target_config=replace(CONFIG, rpc=tuple(servers)))
    made = memory_plan(shape, None, config, (main, *cards))
    assert made.plan is not None
    return made.applied(config).target_settings, made.plan


def close(planned: Share, real: Share) -> None:
    """Weights and caches to what the log rounds, buffers not below what is allocated."""
    assert planned.weights == pytest.approx(real.weights, abs=_ROUNDED, rel=0.001)
    assert planned.cache == pytest.approx(real.cache, abs=_ROUNDED, rel=0.001)
    assert planned.compute >= real.compute - _ROUNDED


def check(path, servers, shares):
    shape = see_file(path).shape()
    whole = model_memory(shape, replace(CONFIG, max_rows=17).loaded_by(shape.trained_context))
    rooms = [round(share * (whole.weights + whole.cache) + whole.compute + 4 * whole.passing) for share in shares]
    config, plan = fitted(path, shape, servers, rooms)
    real = reported_alone(path, config)
    placed = plan.target
    assert real.layers == placed.on_devices
    for share, device in zip(placed.shares, plan.places, strict=True):
        if share.weights or device.kind == "CPU":
            close(share, real.of(device))
    return placed, placed.total / real.total


@pytest.mark.parametrize("shares", [(2.0,), (0.5,), (0.2,), (0.6, 0.6), (0.3, 0.4), (0.4, 0.1)])
@pytest.mark.parametrize("settings", [{"layers": 8}, {"layers": 6, "experts": 4}, {"layers": 6, "n_vocab": 20000}])
def test_tiny_models_are_where_they_were_planned(write_tiny_model, servers, settings, shares):
    check(write_tiny_model(width=256, n_ctx=8192, **settings), servers, shares)


@pytest.mark.parametrize("shares", [(0.7,), (0.5,), (0.3,), (0.3, 0.3), (0.2, 0.5)])
def test_mixtures_leave_experts_behind_as_it_was_planned(write_tiny_model, servers, shares):
    path = write_tiny_model(width=256, n_ctx=8192, layers=8, experts=16)
    placed, ratio = check(path, servers, shares)
    assert (placed.on_devices, placed.apart > 0) == (9, True)
    assert 1 <= ratio <= 1.1


@pytest.mark.models
@pytest.mark.parametrize("shares", [(2.0,), (0.5,), (0.6, 0.6), (0.3, 0.4)])
def test_real_models_are_where_they_were_planned_and_take_what_was_planned(models, servers, shares):
    for path in sorted(models.glob("*q4_*.gguf")):
        _, ratio = check(path, servers, shares)
        assert 1 <= ratio <= 1.1, (path, ratio)
