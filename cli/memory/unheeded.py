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

    People carry these from machine to machine and from model to model, as options, in profiles and as variables. The
    shape is read only if it matters.
    """
    yield from _layers(config, devices)
    asked, name = config.target_config, config.target.name
    shape = target_shape() if asked.cpu_moe or asked.n_ctx else None
    if shape is None:
        return
    if asked.cpu_moe and not any(layer.experts for layer in shape.layers):
        yield f"{name} has no experts that could stay in main memory (cpu_moe, -ncmoe)."
    if asked.n_ctx and asked.n_ctx > shape.usable_context:
        made = "made for" if shape.usable_context > shape.trained_context else "trained on"
        yield (
            f"{name} was {made} {shape.usable_context:,} tokens: what lies beyond them, in a context of "
            f"{asked.n_ctx:,}, tends to be noise."
        )


def _layers(config: PairConfig, devices: Sequence[Device]) -> Iterator[str]:
    """Layers for devices where there is none.

    Nothing is said where devices were named: loading tells of those that are not there, and whoever wants none
    (`--device none`) means it.
    """
    asked = [(config.target, "gpu_layers {} (-ngl)", config.target_config)]
    if isinstance(config.draft, Path):
        asked.append((config.draft, "draft_gpu_layers {} (-ngld)", config.draft_config))
    futile = [
        (file.name, setting.format("all" if layers < 0 else layers))
        for file, setting, each in asked
        if (layers := each.n_gpu_layers) and _has_no_device(each, devices)
    ]
    if futile:
        names, settings = (" and ".join(each) for each in zip(*futile, strict=True))
        counts = "count" if futile[1:] else "counts"
        yield (
            f"No device here takes layers, so {settings} {counts} for nothing: the CPU computes all of {names}. "
            "specchat doctor says what there is."
        )


def _has_no_device(asked: LlamaConfig, devices: Sequence[Device]) -> bool:
    return asked.devices is None and not taking_layers(reached(devices, asked.rpc))
