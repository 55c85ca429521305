"""What building for Vulkan takes, and whether it is here."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from specchat.profiles.paths import exists

from ..system_files import entries, text_of

_OLDEST_HEADERS = 272
"""The last number of 1.3.272: headers before it lack VK_EXT_layer_settings, and llama.cpp does not compile."""
_OLD_HEADERS = {"bookworm"}
"""Code names of distributions whose headers are older."""
_NO_COMPILER = {"bionic", "bullseye", "focal", "jammy"}
"""Those that have no package with a compiler of shaders."""
_SPIRV = ("spirv/unified1/spirv.hpp", "spirv-headers/spirv.hpp", "spirv.hpp")
"""Where llama.cpp includes it from: the second is where the SDK for Windows has it."""
_DRIVERS = ("usr/share", "usr/local/share", "etc", "run/opengl-driver/share")
FETCH_HEADERS = (
    'headers="$(mktemp -d)"',
    'git clone --quiet --depth 1 --branch v1.4.309 https://github.com/KhronosGroup/Vulkan-Headers "$headers"',
)
"""Headers are but files: newer ones do, with the library of the distribution."""
FETCHED = "-DVulkan_INCLUDE_DIR=$headers/include"
"""What CMAKE_ARGS says of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vulkan:
    """What there is of it: `headers` and a `driver`; `old` is whether its headers are, or will be once installed.

    `packaged` is whether the distribution has all that a build takes.
    """

    headers: bool = False
    old: bool = False
    driver: bool = False
    packaged: bool = True


def find_vulkan(root: Path, variables: Mapping[str, str], codenames: Set[str]) -> Vulkan:
    """What is below `root`, and in the SDK that a variable names, on a distribution of these names. Raises nothing."""
    folders = [root / "usr/local/include", root / "usr/include"]
    if sdk := variables.get("VULKAN_SDK"):
        folders.insert(0, root / sdk.lstrip("/") / "include")  # CMake looks there first, too
    number = next(filter(None, map(_number, folders)), 0)
    return Vulkan(
        headers=number > 0 and any(exists(folder / file) for folder in folders for file in _SPIRV),
        old=number < _OLDEST_HEADERS if number else not codenames.isdisjoint(_OLD_HEADERS),
        driver=any(any(entries(root / each / "vulkan/icd.d")) for each in _DRIVERS),
        packaged=codenames.isdisjoint(_NO_COMPILER),
    )


def _number(folder: Path) -> int:
    """The last number of the version of the headers in a folder; 0 where there are none."""
    match = re.search(r"#define VK_HEADER_VERSION (\d+)", text_of(folder / "vulkan/vulkan_core.h", 1 << 16))
    return int(match[1]) if match else 0
