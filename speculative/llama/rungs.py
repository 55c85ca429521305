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
    """The layers of a model, the output among them, the tokens of context that it was trained on, and the devices.

    A mixture of experts `has_experts`.
    """

    layers: int
    trained_context: int
    devices: int
    has_experts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GivesWay:
    """What nobody asked for by number, so that it may be less: layers and experts on devices, and the context."""

    layers: bool = True
    experts: bool = True
    context: bool = True


def rungs(config: LlamaConfig, model: Outline, gives_way: GivesWay) -> Iterator[LlamaConfig]:
    """At most seven settings; each takes less memory, or less of devices, than `config` and those before it."""
    if not model.devices or config.on_cpu:
        gives_way = replace(gives_way, layers=False, experts=False)
    bare = replace(config, cpu_moe=-1)
    if gives_way.experts and model.has_experts and bare.layers_apart(model.layers) > config.layers_apart(model.layers):
        config = bare
        yield config
    if gives_way.layers:
        asked = config.layers_on_devices(model.layers)
        for layers in dict.fromkeys(asked * quarters // 4 for quarters in _QUARTERS):
            config = replace(config, n_gpu_layers=layers)
            yield config
    if gives_way.context:
        size = config.context(model.trained_context)
        yield from (replace(config, n_ctx=size // part) for part in _PARTS if size // part >= _LEAST_CONTEXT)
