"""Which of the devices that are there take layers of a model, as its settings have it."""

from collections.abc import Sequence

from ..devices import Device, by_names, reached, taking_layers
from ..errors import UsageError
from .config import LlamaConfig


def takers(config: LlamaConfig, there: Sequence[Device]) -> tuple[Device, ...]:
    """The devices that are named, of which the CPU is none; without a word of them those that llama.cpp takes.

    In no case one of a server that was not asked for, though it may be connected. Raises `UsageError` for names of
    none, and for more shares than devices.
    """
    there = reached(there, config.rpc)
    if config.devices is None:
        found = taking_layers(there)
    else:
        found = by_names(config.devices, [device for device in there if device.kind != "CPU"])
    if len(config.tensor_split) > len(found):
        shares = ",".join(f"{share:g}" for share in config.tensor_split)
        raise UsageError(
            f"--tensor-split {shares} is for {len(config.tensor_split)} devices, but there are {len(found)}.",
            "Give at most one share a device, or leave it out; specchat doctor shows the devices.",
        )
    return found
