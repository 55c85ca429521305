"""What there is to compute on, and the memory that it has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .errors import UsageError

NO_DEVICE = ("cpu", "none")
"""What stands for the CPU alone where devices are named, in any case."""


@dataclass(frozen=True, slots=True)
class Device:
    """Something llama.cpp can compute on; memory in bytes.

    `kind` is "CPU", "GPU", "IGPU" for a GPU that shares the memory of the CPU, or empty for anything else. One of
    another machine is a GPU called RPC0 or so, and described by where its server listens.
    """

    name: str
    description: str
    free: int
    total: int
    kind: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether it is one of another machine."""
        return is_remote(self.name)

    @property
    def shares_memory(self) -> bool:
        """Whether its memory is that of the CPU; Metal says of its devices that they are GPUs."""
        return self.kind == "IGPU" or self.name.startswith(("MTL", "Metal"))


def is_remote(name: str) -> bool:
    """Whether a device of this name is one of another machine."""
    return name.upper().startswith("RPC")


def given_back(devices: Sequence[Device], taken: Mapping[str, int]) -> tuple[Device, ...]:
    """The same once so many bytes are free again, by the names of devices."""
    return tuple(replace(each, free=min(each.total, each.free + taken.get(each.name, 0))) for each in devices)


def reached(devices: Sequence[Device], rpc: Sequence[str]) -> tuple[Device, ...]:
    """Those of the `devices` that are of this machine, or of the servers at `rpc`."""
    return tuple(each for each in devices if not each.is_remote or each.description in rpc)


def by_names(names: Sequence[str], there: Sequence[Device]) -> tuple[Device, ...]:
    """Those of the devices that are there which have these names, in any case. Raises `UsageError` for one of none."""
    known = {device.name.casefold(): device for device in there}
    for name in names:
        if name.casefold() not in known:
            listed = ", ".join(device.name for device in there)
            hint = f"There are: {listed}." if listed else "llama.cpp sees no device but the CPU: see specchat doctor."
            raise UsageError(f"There is no device {name!r}.", hint)
    return tuple(known[name.casefold()] for name in names)


def taking_layers(devices: Sequence[Device]) -> tuple[Device, ...]:
    """Those of the `devices` that llama.cpp puts layers on, in its order: those of other machines, then our GPUs.

    What shares the CPU's memory is one only where no other of ours is.
    """
    remote = tuple(each for each in devices if each.is_remote)
    local = [tuple(each for each in devices if each.kind == kind and each not in remote) for kind in ("GPU", "IGPU")]
    return (*remote, *next(filter(None, local), ()))
