"""What building for a GPU takes, and whether it is here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from specchat.profiles.paths import is_file

from ..system_files import text_of
from .vulkan import Vulkan, find_vulkan

CUDA, HIP, VULKAN, SYCL, METAL = "CUDA", "ROCm", "Vulkan", "SYCL", "Metal"
"""What llama.cpp can be built for."""
_FAMILIES = {"debian": "debian", "ubuntu": "debian", "fedora": "fedora", "arch": "arch"}
_INSTALL = {"debian": ("apt update", "apt install"), "fedora": ("dnf install",), "arch": ("pacman -S",)}
_NO_VULKAN = Vulkan()
_DRIVER = f"{VULKAN} driver"
_PACKAGES = {
    (CUDA, "debian"): "nvidia-cuda-toolkit",
    (CUDA, "arch"): "cuda",
    (VULKAN, "debian"): "libvulkan-dev glslc spirv-headers",
    (VULKAN, "fedora"): "vulkan-loader-devel glslc spirv-headers-devel",
    (VULKAN, "arch"): "vulkan-headers vulkan-icd-loader shaderc spirv-headers",
    (_DRIVER, "debian"): "mesa-vulkan-drivers",
    (_DRIVER, "fedora"): "mesa-vulkan-drivers",
    (_DRIVER, "arch"): "vulkan-radeon vulkan-intel",
}
_PAGES = {
    CUDA: "https://developer.nvidia.com/cuda-downloads",
    VULKAN: "https://vulkan.lunarg.com/sdk/home",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkits:
    """What there is to build with, and the `distribution`, as its own /etc/os-release names it and its `family`.

    `superuser` is whether this account may install it as it is.
    """

    installed: frozenset[str] = frozenset()
    distribution: str = ""
    family: str = ""
    vulkan: Vulkan = _NO_VULKAN
    superuser: bool = False

    def missing(self, backend: str) -> tuple[str, str]:
        """The command that installs what `backend` takes, and the page to get it from; both empty if it is here.

        For Vulkan that is a driver, too: those of AMD and Intel are packages like others.
        """
        if backend in self.installed or backend not in _PAGES:
            return "", ""
        parts = (backend,) if backend != VULKAN else (VULKAN, _DRIVER) if self.vulkan.packaged else ()
        return self._install(*parts), _PAGES[backend]

    @property
    def vulkan_driver(self) -> str:
        """The command that installs a driver for Vulkan, empty where there is one or no command is known."""
        return "" if self.vulkan.driver else self._install(_DRIVER)

    @property
    def nvidia_driver(self) -> str:
        """The command that installs NVIDIA's driver, empty where none is known."""
        if self.distribution == "ubuntu":
            return self.as_root("ubuntu-drivers install")
        return self.as_root("apt install nvidia-driver") if self.distribution == "debian" else ""

    def as_root(self, command: str) -> str:
        """A command that only the superuser may run, who may have no sudo."""
        return command if self.superuser else f"sudo {command}"

    def _install(self, *parts: str) -> str:
        """The command that installs these parts; empty where one of them has no package that is known."""
        packages = [_PACKAGES.get((part, self.family), "") for part in parts]
        if not packages or not all(packages):
            return ""
        git = ["git"] if VULKAN in parts and self.vulkan.old else []  # which fetches newer headers
        *before, install = map(self.as_root, _INSTALL[self.family])
        return " && ".join([*before, " ".join([install, *packages, *git])])


def find_toolkits(root: Path, variables: Mapping[str, str], *, superuser: bool = False) -> Toolkits:
    """What is below `root`, in the usual places and where PATH looks. Raises nothing."""
    folders = [root / text.lstrip("/") for text in variables.get("PATH", "").split(os.pathsep) if text]
    places = {
        CUDA: [folder / "nvcc" for folder in (root / "usr/local/cuda/bin", root / "opt/cuda/bin", *folders)],
        HIP: [root / "opt/rocm/bin/hipconfig", *(folder / "hipconfig" for folder in folders)],
        SYCL: [root / "opt/intel/oneapi/setvars.sh"],
        VULKAN: [folder / "glslc" for folder in (root / "usr/bin", *folders)],
    }
    told = _os_release(root)
    names = [told.get("ID", ""), *told.get("ID_LIKE", "").split()]
    vulkan = find_vulkan(root, variables, {told[each] for each in told if each.endswith("_CODENAME")})
    found = {backend for backend, files in places.items() if any(map(_program, files))}
    nameless = not names[0]  # as Windows and macOS are: drivers are elsewhere, and headers come with an SDK
    if not (vulkan.headers and (not vulkan.old if nameless else vulkan.driver)):
        found.discard(VULKAN)
    return Toolkits(
        installed=frozenset(found),
        distribution=names[0],
        family=next((_FAMILIES[name] for name in names if name in _FAMILIES), ""),
        vulkan=vulkan,
        superuser=superuser,
    )


def _os_release(root: Path) -> dict[str, str]:
    lines = text_of(root / "etc/os-release").splitlines()
    pairs = (line.partition("=") for line in lines)
    return {name: value.strip().strip("\"'").lower() for name, _, value in pairs}


def _program(path: Path) -> bool:
    return is_file(path) or is_file(path.with_suffix(".exe"))
