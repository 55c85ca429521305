"""Where a model computes."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placement:
    """How many of the `layers` of a model are on the `devices`, by their names; all others are on the CPU."""

    layers: int
    on_devices: int = 0
    devices: tuple[str, ...] = ()


def placement(layers: int, asked: int | None, gpus: Sequence[str]) -> Placement:
    """Where the `layers` of a model are if so many were `asked` for on the GPU; -1 and None ask for all."""
    on_gpu = layers if asked is None or asked < 0 else min(asked, layers)
    return Placement(layers, on_gpu, tuple(gpus)) if gpus and on_gpu else Placement(layers)
