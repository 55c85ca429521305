"""Models and devices of round numbers."""

from typing import Any

from specchat.speculative.devices import Device
from specchat.speculative.footprint.memory import LayerMemory, ModelMemory
from specchat.speculative.footprint.placing import Wanted
from specchat.speculative.footprint.shape import LayerShape, ModelShape

GB = 10**9


def memory(
    layers: int = 10, each: int = GB, *, cache: int = 0, experts: int = 0, idle: int = 0, **settings: Any
) -> ModelMemory:
    """A model of equal layers and an output like them, which needs nothing else unless it is said."""
    given = {"kept": 0, "copied": 0, "compute": 0, "finishing": 0, "passing": 0, "logits": 0, **settings}
    block, output = LayerMemory(each, cache, experts, idle), LayerMemory(each, cache)
    return ModelMemory(layers=(*(block,) * layers, output), **given)


def model(layers: int = 10, each: int = GB, *, wish: dict[str, Any] | None = None, **settings: Any) -> Wanted:
    """The same, to be placed as a `wish` says, or as it fits."""
    return Wanted(memory=memory(layers, each, **settings), **(wish or {}))


def shape(**settings: Any) -> ModelShape:
    """Four layers of attention."""
    given = {
        "layers": (LayerShape(weights=1000, k_width=256, v_width=128),) * 4,
        "input_weights": 500,
        "output_weights": 700,
        "embedding": 64,
        "hidden": 128,
        "queries": 64,
        "heads": 2,
        "vocabulary": 100,
        "trained_context": 4096,
        "parameters": 5200,
    }
    return ModelShape(**{**given, **settings})


def main_memory(free: int) -> Device:
    return Device("CPU", "main memory", free * GB, 2 * free * GB, "CPU")


def card(free: int, name: str = "CUDA0") -> Device:
    return Device(name, "Card", free * GB, free * GB, "GPU")


def shared(free: int, name: str = "Vulkan0") -> Device:
    return Device(name, "Shared", free * GB, free * GB, "IGPU")
