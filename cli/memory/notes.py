"""What there is to say about where models go, before they are loaded."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from specchat.speculative.devices import Device
from specchat.speculative.footprint.placing import Placed
from specchat.speculative.footprint.plan import Plan
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig

from ..display.quantities import counted, file_size
from ..environment import Environment
from .holders import holders
from .plan import MemoryPlan, memory_plan

_MUCH = 512 << 20
"""Bytes that are worth a word; a driver and a screen take less."""


def fit_notes(env: Environment, config: PairConfig, made: MemoryPlan) -> Iterator[str]:
    """What may go badly, or otherwise than one would think: a sentence each. `config` is what was asked for."""
    found = made.plan
    if found is None:
        return
    yield from _too_large(config, made, found)
    yield from _too_many(config.target.name, config.target_config, found.target, found)
    if config.target_config.n_gpu_layers is None and not found.target.whole:
        yield from _held(env, config, made, found)
    if found.draft and not isinstance(config.draft, str):
        yield from _about_draft(config.draft.name, config, made, found, found.draft)


def _too_large(config: PairConfig, made: MemoryPlan, found: Plan) -> Iterator[str]:
    """Models that need more than all main memory, beside what devices take of them."""
    main, needed = found.places[0].total, found.needed(0)
    if needed <= main:
        return
    files = [config.target, *([config.draft] if not isinstance(config.draft, str) and found.draft else [])]
    names = " and ".join(file.name for file in files)
    yield (
        f"{names} {'need' if files[1:] else 'needs'} about {file_size(needed)} of memory, and this machine has "
        f"{file_size(main)}: what has no room is read from the disk again for each token. "
        "specchat show says what would fit."
    )


def _too_many(name: str, asked: LlamaConfig, placed: Placed, found: Plan) -> Iterator[str]:
    """Devices that cannot hold the layers that were asked for."""
    if asked.n_gpu_layers is None and not asked.tensor_split:
        return
    for place, device in enumerate(found.places[1:], 1):
        needed = placed.shares[place].total
        if needed > device.free:
            yield (
                f"The layers of {name} that were asked for need {file_size(needed)} of {device.name}, which has "
                f"{file_size(device.free)} free: loading them may fail. Without -ngl and --tensor-split as many go "
                "there as fit."
            )


def _held(env: Environment, config: PairConfig, made: MemoryPlan, found: Plan) -> Iterator[str]:
    """Memory of devices that other programs hold, if layers of the target would have room there."""
    held = sum(place.total - place.free for place in found.places[1:])
    if held < _MUCH:
        return
    empty = [found.places[0], *(replace(place, free=place.total) for place in found.places[1:])]
    at_best = _alone(config, made, empty)
    missed = _missed(found.target, at_best) if at_best else ""
    if not missed:
        return
    names = " and ".join(place.name for place in found.places[1:])
    owners = ", ".join(f"{each.name} {file_size(each.held)}" for each in holders(env))
    yield (
        f"{file_size(held)} of {names} {'are' if held >= 2e9 else 'is'} held already"
        f"{f' ({owners})' if owners else ''}, which puts {missed} of {config.target.name} on the CPU."
    )


def _missed(placed: Placed, at_best: Placed) -> str:
    """What is not on devices, and would be at best."""
    if layers := at_best.on_devices - placed.on_devices:
        return counted(layers, "layer") if layers > 0 else ""
    experts = placed.apart - at_best.apart
    return f"the experts of {counted(experts, 'layer')}" if experts > 0 else ""


def _alone(config: PairConfig, made: MemoryPlan, devices: Sequence[Device]) -> Placed | None:
    """The target on these devices, with the context that it has."""
    settings = replace(config, target_config=replace(config.target_config, n_ctx=made.context))
    found = memory_plan(made.target.shape, None, settings, devices).plan
    return found.target if found else None


def _about_draft(name: str, config: PairConfig, made: MemoryPlan, found: Plan, draft: Placed) -> Iterator[str]:
    alone = _alone(config, made, found.places) if found.slowdown > 1 else None
    if alone:
        yield (
            f"The CPU has {_missed(found.target, alone)} of {config.target.name} to make room for {name}, whose "
            "measured gain outweighs that; how many times as fast as plain an answer is, is told without it."
        )
    elif draft.placeable and not draft.whole and config.draft_config.n_gpu_layers is None:
        yield f"{name} has no room on the GPU beside {config.target.name}: {_what_has(draft)}."


def _what_has(draft: Placed) -> str:
    if not draft.on_devices:
        return "it computes on the CPU"
    layers = f"{draft.on_devices} of its {draft.layers} layers do"
    return f"{layers}, {draft.apart} of them without their experts" if draft.apart else layers
