"""How much memory there is for models."""

import re
from pathlib import Path

from specchat.speculative.errors import SpecchatError

from .loading import importing_llama_cpp

_PATIENCE = 8 * 10**9
"""Bytes: a larger model answers too slowly where no GPU computes."""


def memory_for_models() -> int:
    """The bytes that models may take on this machine."""
    return room_for_models(largest_gpu(), main_memory().get("MemTotal", 0))


def room_for_models(gpu: int, main: int) -> int:
    """The bytes of the largest GPU, or where there is none, those of a model that is still pleasant on the CPU."""
    return gpu or min(_PATIENCE, main // 2)


def largest_gpu() -> int:
    """The bytes of memory on the largest device beside the CPU; 0 where llama.cpp knows none."""
    try:
        with importing_llama_cpp():
            from specchat.speculative.llama.backend import build_info

            devices = build_info().devices
    except SpecchatError:  # running a model will explain it
        return 0
    return max((device.total for device in devices if device.name != "CPU"), default=0)


def main_memory() -> dict[str, int]:
    """What the system says of its memory, in bytes; nothing where it does not."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="utf-8")
    except OSError:
        return {}
    return {name: int(size) * 1024 for name, size in re.findall(r"^(\w+): *(\d+)", text, re.MULTILINE)}
