"""What to load by instead, where a model takes too much memory as it was to be loaded."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from .config import LlamaConfig

_QUARTERS = (3, 2, 1, 0)
"""Of the layers that were to be on devices: what is tried, one after the other."""
_PARTS = (2, 4)
"""Parts of the context that was to be, which are tried after that."""
_LEAST_CONTEXT = 1024
"""Tokens: with less there is nothing to chat about."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The layers of a model, the output among them, the tokens of context that it was trained on, and the devices."""

    layers: int
    trained_context: int
    devices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GivesWay:
    """What nobody asked for by number, so that it may be less: layers on devices, and the context."""

    layers: bool = True
    context: bool = True


def rungs(config: LlamaConfig, model: Outline, gives_way: GivesWay) -> Iterator[LlamaConfig]:
    """At most six settings, each of which takes less memory than `config` and those before it."""
    if gives_way.layers and model.devices and not config.on_cpu:
        asked = config.layers_on_devices(model.layers)
        for layers in dict.fromkeys(asked * quarters // 4 for quarters in _QUARTERS):
            config = replace(config, n_gpu_layers=layers)
            yield config
    if gives_way.context:
        size = config.context(model.trained_context)
        yield from (replace(config, n_ctx=size // part) for part in _PARTS if size // part >= _LEAST_CONTEXT)
