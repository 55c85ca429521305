"""What there is to compute on, and the memory that it has."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """Something llama.cpp can compute on; memory in bytes.

    `kind` is "CPU", "GPU", "IGPU" for a GPU that shares the memory of the CPU, or empty for anything else.
    """

    name: str
    description: str
    free: int
    total: int
    kind: str = ""

    @property
    def shares_memory(self) -> bool:
        """Whether its memory is that of the CPU; Metal says of its devices that they are GPUs."""
        return self.kind == "IGPU" or self.name.startswith(("MTL", "Metal"))


def taking_layers(devices: Sequence[Device]) -> tuple[Device, ...]:
    """Those of the `devices` that llama.cpp puts layers on: what shares the CPU's memory only where no other is."""
    kinds = [tuple(each for each in devices if each.kind == kind) for kind in ("GPU", "IGPU")]
    return next(filter(None, kinds), ())
