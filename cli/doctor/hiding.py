"""Variables that hide GPUs from programs."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from specchat.profiles.paths import exists

from ..system_files import entries
from .toolkits import CUDA, HIP, SYCL, VULKAN

_CHOOSING = {
    CUDA: ("CUDA_VISIBLE_DEVICES",),
    HIP: ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    VULKAN: ("GGML_DISABLE_VULKAN", "GGML_VK_VISIBLE_DEVICES", "VK_DRIVER_FILES", "VK_ICD_FILENAMES"),
    SYCL: ("ONEAPI_DEVICE_SELECTOR", "ZE_AFFINITY_MASK"),
}

_DRIVERS = {VULKAN: ("VK_DRIVER_FILES", "VK_ICD_FILENAMES")}
"""Those that name the files of drivers, the one first that counts where both are set."""


def choosing(ways: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """The variables that are set, and choose among the devices that llama.cpp sees in these `ways`."""
    return [
        name for name in dict.fromkeys(name for way in ways for name in _CHOOSING.get(way, ())) if name in variables
    ]


def hiding(ways: Sequence[str], variables: Mapping[str, str]) -> str:
    """The first of them that chooses no device at all: it is empty, or a number below 0. Empty where there is none."""
    return next((name for name in choosing(ways, variables) if variables[name].strip()[:1] in ("", "-")), "")


def missing_drivers(ways: Sequence[str], variables: Mapping[str, str]) -> str:
    """The variable by which no driver can be found: no file that it names is there. Empty without one."""
    names = (name for way in ways for name in _DRIVERS.get(way, ()) if variables.get(name))
    name = next(names, "")
    paths = filter(None, variables.get(name, "").split(os.pathsep))
    return "" if any(map(_drives, paths)) else name


def _drives(path: str) -> bool:
    """Whether this is the file of a driver, or a folder with some."""
    names = (Path(path), *entries(Path(path)))
    return any(each.suffix == ".json" and exists(each) for each in names)
