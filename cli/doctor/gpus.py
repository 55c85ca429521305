"""Which GPUs a machine has, known without any of their libraries: by the files of its kernel."""

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

from specchat.profiles.paths import exists

from ..system_files import entries, text_of
from .graphics import AMD, APPLE, INTEL, NVIDIA, Gpu, Graphics

_VENDORS = {"0x10de": NVIDIA, "0x1002": AMD, "0x8086": INTEL}
_DISPLAY, _ACCELERATOR = "0x03", "0x12"
"""What PCI classes start with; AMD's Instinct cards say that they are accelerators, as Intel's NPUs do."""
_INTEL_BUILT_IN = "0000:00:02."
_CARVED_OUT = 4 << 30
"""Bytes of memory of its own: with less, an AMD GPU is one inside a CPU."""
_TAKEN_AWAY = ("vfio-pci", "pci-stub")
"""Drivers that keep a device for a virtual machine."""


def find_graphics(root: Path, system: str = platform.system(), machine: str = platform.machine()) -> Graphics:
    """What the files below `root` say, on a `system` and a `machine` as Python's platform names them.

    Takes a millisecond: nothing is run, and no driver is asked. Raises nothing.
    """
    if system == "Darwin":
        return Graphics(gpus=(Gpu(APPLE, "Apple GPU"),) if machine == "arm64" else ())
    devices = tuple(_devices(root))
    return Graphics(
        gpus=tuple(_gpus(root)),
        driver=_driver(root),
        devices=devices,
        closed=tuple(each for each in devices if not os.access(root / each[1:], os.R_OK | os.W_OK)),
        container=_container(root),
    )


def _gpus(root: Path) -> Iterator[Gpu]:
    found = [gpu for folder in entries(root / "sys/bus/pci/devices") if (gpu := _on_bus(folder))]
    if not found:  # some containers see no bus
        cards = [each for each in entries(root / "sys/class/drm") if re.fullmatch(r"card\d+", each.name)]
        found = [gpu for each in cards if (gpu := _of_vendor(each / "device"))]
    names = _nvidia_names(root)
    for gpu in found:
        name = names.pop(0) if names and gpu.vendor == NVIDIA else gpu.name
        yield Gpu(gpu.vendor, name, gpu.shared)
    if not any(gpu.vendor == NVIDIA for gpu in found):
        yield from (Gpu(NVIDIA, name) for name in names or _nvidia_by_library(root))


def _on_bus(folder: Path) -> Gpu | None:
    kind = text_of(folder / "class")
    accelerates = kind.startswith(_ACCELERATOR) and text_of(folder / "vendor") == "0x1002"
    if not (kind.startswith(_DISPLAY) or accelerates) or _taken_away(folder):
        return None
    return _of_vendor(folder)


def _taken_away(folder: Path) -> bool:
    try:
        return (folder / "driver").resolve().name in _TAKEN_AWAY
    except (OSError, RuntimeError):
        return False


def _of_vendor(folder: Path) -> Gpu | None:
    vendor = _VENDORS.get(text_of(folder / "vendor"))
    if vendor is None:
        return None
    memory = text_of(folder / "mem_info_vram_total")
    carved_out = memory.isdecimal() and int(memory) < _CARVED_OUT
    built_in = vendor == INTEL and folder.resolve().name.startswith(_INTEL_BUILT_IN)
    return Gpu(vendor, text_of(folder / "product_name"), shared=carved_out or built_in)


def _nvidia_names(root: Path) -> list[str]:
    """What NVIDIA's driver calls those that it knows."""
    texts = [text_of(each / "information") for each in entries(root / "proc/driver/nvidia/gpus")]
    return [match[1] for text in texts if (match := re.search(r"^Model:\s*(.+?)\s*$", text, re.MULTILINE))]


def _nvidia_by_library(root: Path) -> list[str]:
    """On Windows, and in Linux inside it, NVIDIA's driver is there where its library is."""
    inside = root / "usr/lib/wsl/lib/libcuda.so.1", root / "dev/dxg"
    return [""] if all(map(exists, inside)) or exists(root / "Windows/System32/nvcuda.dll") else []


def _driver(root: Path) -> str:
    text = text_of(root / "proc/driver/nvidia/version")
    match = re.search(r"\s(\d+\.\d+(\.\d+)?)\s", text)
    return match[1] if match else "unknown" if text or _nvidia_by_library(root) else ""


def _devices(root: Path) -> Iterator[str]:
    yield from (f"/dev/{each.name}" for each in entries(root / "dev") if re.fullmatch(r"nvidia\d+|kfd|dxg", each.name))
    yield from (f"/dev/dri/{each.name}" for each in entries(root / "dev/dri") if each.name.startswith("renderD"))


def _container(root: Path) -> str:
    if exists(root / "run/.containerenv"):
        return "podman"
    return "docker" if exists(root / ".dockerenv") else ""
