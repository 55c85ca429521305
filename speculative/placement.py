"""Where a model computes."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Placement:
    """How many of the `layers` of a model are on the `devices`, by their names; all others are on the CPU.

    Of the layers on devices, so many are `apart` from their experts, which are on the CPU, too.
    """

    layers: int
    on_devices: int = 0
    devices: tuple[str, ...] = ()
    apart: int = 0


def placement(layers: int, on_devices: int, devices: Sequence[str], apart: int = 0) -> Placement:
    """Where the `layers` of a model are if so many are to be on these devices, of which there may be none.

    Without any, no layer is `apart` from its experts.
    """
    return Placement(layers, on_devices, tuple(devices), apart) if devices and on_devices else Placement(layers)
