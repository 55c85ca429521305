"""What there is to compute on, and how much memory that has for models."""

import re
from collections.abc import Sequence
from pathlib import Path

from specchat.speculative.devices import Device
from specchat.speculative.errors import SpecchatError
from specchat.speculative.interrupt import Interrupt

from ..models.loading import importing_llama_cpp

_PATIENCE = 8 * 10**9
"""Bytes: a larger model answers too slowly where no GPU computes."""


def room_for_models(devices: Sequence[Device]) -> int:
    """The bytes of the largest GPU, or where there is none, those of a model that is still pleasant on the CPU."""
    main, gpu = (
        max((each.total for each in devices if (each.kind == "CPU") is is_main), default=0) for is_main in (True, False)
    )
    return gpu or min(_PATIENCE, main // 2)


def machine_devices() -> tuple[Device, ...]:
    """Main memory, of which what caches hold counts as free, and what llama.cpp knows beside it."""
    memory, known = main_memory(), _known_devices()
    said = [Device("CPU", "main memory", memory.get("MemAvailable", 0), memory.get("MemTotal", 0), "CPU")]
    main = next((each for each in [*said, *known] if each.kind == "CPU" and each.total), None)
    return (*([main] if main else []), *(each for each in known if each.kind != "CPU"))


def reach_servers(endpoints: Sequence[str]) -> None:
    """Let the devices of these servers be known. Raises `SpecchatError` where that cannot be."""
    with importing_llama_cpp():
        from specchat.speculative.llama.backend import start_backend
        from specchat.speculative.llama.rpc.servers import connect

    connect(endpoints, start_backend(), Interrupt())


def _known_devices() -> tuple[Device, ...]:
    try:
        with importing_llama_cpp():
            from specchat.speculative.llama.backend import build_info

            return build_info().devices
    except SpecchatError:  # running a model will explain it
        return ()


def main_memory() -> dict[str, int]:
    """What the system says of its memory, in bytes; nothing where it does not."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="utf-8")
    except OSError:
        return {}
    return {name: int(size) * 1024 for name, size in re.findall(r"^(\w+): *(\d+)", text, re.MULTILINE)}
