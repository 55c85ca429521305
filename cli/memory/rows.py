"""A plan for the memory, on a screen and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from specchat.speculative.footprint.placing import Placed
from specchat.speculative.footprint.plan import MARGIN, Plan

from ..display.quantities import file_size
from .plan import MemoryPlan, Reckoned


def memory_rows(made: MemoryPlan | None, instead: Sequence[str]) -> list[tuple[str, str]]:
    """What each model takes, what each device has to hold, and whether that goes."""
    if made is None:
        return [("memory", "not known: the header leaves out what it depends on")]
    models = [("target", made.target), ("draft", made.draft)]
    return [
        ("memory", f"{_total(made)} at {made.target.loaded.context} tokens of context"),
        *((name, _parts(model)) for name, model in models if model),
        *(_places(made.plan) if made.plan else []),
        *([("instead", ", or ".join(instead))] if instead else []),
    ]


def _total(made: MemoryPlan) -> str:
    least = "" if all(each.memory.complete for each in made.models) else "more than "
    return f"{least}{file_size(made.total)}"


def _parts(model: Reckoned) -> str:
    sizes = {"weights": model.memory.weights, "cache": model.memory.cache, "buffers": model.buffers}
    return ", ".join(f"{name} {file_size(size)}" for name, size in sizes.items())


def _places(found: Plan) -> list[tuple[str, str]]:
    names = ["main memory", *(place.name for place in found.places[1:])]
    rows = [
        (name, f"{file_size(found.needed(place))} of {file_size(found.places[place].free)} that are free")
        for place, name in enumerate(names)
    ]
    return [*rows, ("has room", _verdict(found))]


def _verdict(found: Plan) -> str:
    if not found.target.fits:
        over = any(found.needed(place) > there.free for place, there in enumerate(found.places))
        return "no" if over else f"no: {file_size(MARGIN)} should stay free"
    if found.draft and not found.draft.fits:
        return "the target does, the draft does not"
    if len(found.places) == 1:
        return "yes"
    where = "devices" if any(place.is_remote for place in found.places) else "the GPU"
    partly = [
        f"{model.on_devices} of {model.layers} layers of the {name} on {where} ({option} {model.on_devices})"
        for name, option, model in (("target", "-ngl", found.target), ("draft", "-ngld", found.draft))
        if model and model.on_devices < model.layers
    ]
    layers = " and ".join(partly) or f"all layers on {where}"
    return f"yes, with {', and '.join([layers, *_experts(found)])}"


def _experts(found: Plan) -> Iterator[str]:
    """Those that stay behind, of both models."""
    target, draft = found.target.apart, found.draft.apart if found.draft else 0
    if target:
        yield f"the experts of {target} in main memory (-ncmoe {found.target.experts})"
    if draft:
        yield f"those of {draft} of the draft" if target else f"the experts of {draft} of the draft in main memory"


def memory_content(made: MemoryPlan | None, instead: Sequence[str]) -> dict[str, Any] | None:
    """The numbers, in bytes."""
    if made is None:
        return None
    found = made.plan
    return {
        "margin": MARGIN,
        "target": _model_content(made.target, found.target if found else None),
        "draft": _model_content(made.draft, found.draft if found else None) if made.draft else None,
        "places": [_place_content(found, place) for place in range(len(found.places))] if found else [],
        "fits": found.fits if found else None,
        "instead": list(instead),
    }


def _model_content(model: Reckoned, placed: Placed | None) -> dict[str, Any]:
    loaded = model.loaded
    return {
        "context": loaded.context,
        "cache_type_k": loaded.cache_type_k,
        "cache_type_v": loaded.cache_type_v,
        "flash_attention": loaded.flash_attention,
        "weights": model.memory.weights,
        "cache": model.memory.cache,
        "compute": model.buffers,
        "complete": model.memory.complete,
        "layers": len(model.memory.layers),
        "gpu_layers": placed.on_devices if placed else None,
        "cpu_moe": placed.experts if placed else None,
        "fits": placed.fits if placed else None,
    }


def _place_content(found: Plan, place: int) -> dict[str, Any]:
    device = found.places[place]
    shares = [asdict(model.shares[place]) for model in found.models]
    return {
        "name": device.name,
        "description": device.description,
        "free": device.free,
        "total": device.total,
        "needed": found.needed(place),
        "target": shares[0],
        "draft": shares[1] if len(shares) > 1 else None,
    }
