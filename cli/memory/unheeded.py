"""What was asked for and does not do here what one would think: told, and no reason to stop."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from specchat.speculative.devices import Device, reached, taking_layers
from specchat.speculative.footprint.shape import ModelShape
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig


def unheeded(
    config: PairConfig, devices: Sequence[Device], target_shape: Callable[[], ModelShape | None]
) -> Iterator[str]:
    """A sentence for each number in `config`, as it was asked for, that has nothing to act on, or goes too far.

    People carry these from machine to machine and from model to model. The shape is read only if it matters.
    """
    yield from _layers(config, devices)
    asked, name = config.target_config, config.target.name
    shape = target_shape() if asked.cpu_moe or asked.n_ctx else None
    if shape is None:
        return
    if asked.cpu_moe and not any(layer.experts for layer in shape.layers):
        yield f"{name} has no experts that could stay in main memory (--cpu-moe, -ncmoe)."
    if asked.n_ctx and asked.n_ctx > shape.usable_context:
        made = "made for" if shape.usable_context > shape.trained_context else "trained on"
        yield (
            f"{name} was {made} {shape.usable_context:,} tokens: what lies beyond them, in a context of "
            f"{asked.n_ctx:,}, tends to be noise."
        )


def _layers(config: PairConfig, devices: Sequence[Device]) -> Iterator[str]:
    """Layers for devices where there is none. Who names devices is told by loading if they are not there."""
    asked = [(config.target, "-ngl", config.target_config)]
    if isinstance(config.draft, Path):
        asked.append((config.draft, "-ngld", config.draft_config))
    futile = [(file, option, each) for file, option, each in asked if _is_futile(each, devices)]
    if futile:
        options = " and ".join(f"{option} {_spelled(each)}" for _, option, each in futile)
        names = " and ".join(file.name for file, _, _ in futile)
        counts = "count" if futile[1:] else "counts"
        yield (
            f"No device here takes layers, so {options} {counts} for nothing: the CPU computes all of {names}. "
            "specchat doctor says what there is."
        )


def _is_futile(asked: LlamaConfig, devices: Sequence[Device]) -> bool:
    return bool(asked.n_gpu_layers) and asked.devices is None and not taking_layers(reached(devices, asked.rpc))


def _spelled(asked: LlamaConfig) -> str:
    layers = asked.n_gpu_layers
    return "all" if layers is None or layers < 0 else str(layers)
