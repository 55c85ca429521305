"""What building for a GPU takes, and whether it is here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CUDA, HIP, VULKAN, SYCL, METAL = "CUDA", "ROCm", "Vulkan", "SYCL", "Metal"
"""What llama.cpp can be built for."""
_FAMILIES = {"debian": "debian", "ubuntu": "debian", "fedora": "fedora", "arch": "arch"}
_PACKAGES = {
    (CUDA, "debian"): "sudo apt install nvidia-cuda-toolkit",
    (CUDA, "arch"): "sudo pacman -S cuda",
    (VULKAN, "debian"): "sudo apt install libvulkan-dev glslc spirv-headers",
    (VULKAN, "fedora"): "sudo dnf install vulkan-loader-devel glslc spirv-headers-devel",
    (VULKAN, "arch"): "sudo pacman -S vulkan-headers vulkan-icd-loader shaderc spirv-headers",
}
_PAGES = {
    CUDA: "https://developer.nvidia.com/cuda-downloads",
    VULKAN: "https://vulkan.lunarg.com/sdk/home",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolkits:
    """What there is to build with, and the `distribution`, as its own /etc/os-release names it and its `family`."""

    installed: frozenset[str] = frozenset()
    distribution: str = ""
    family: str = ""

    def missing(self, backend: str) -> tuple[str, str]:
        """The command that installs what `backend` takes, and the page to get it from; both empty if it is here."""
        if backend in self.installed or backend not in _PAGES:
            return "", ""
        return _PACKAGES.get((backend, self.family), ""), _PAGES[backend]

    @property
    def nvidia_driver(self) -> str:
        """The command that installs NVIDIA's driver, empty where none is known."""
        if self.distribution == "ubuntu":
            return "sudo ubuntu-drivers install"
        return "sudo apt install nvidia-driver" if self.distribution == "debian" else ""


def find_toolkits(root: Path, variables: Mapping[str, str]) -> Toolkits:
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
    family = next((_FAMILIES[name] for name in names if name in _FAMILIES), "")
    installed = frozenset(backend for backend, files in places.items() if any(map(_is_file, files)))
    return Toolkits(installed=installed, distribution=names[0], family=family)


def _os_release(root: Path) -> dict[str, str]:
    try:
        lines = (root / "etc/os-release").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines)
    return {name: value.strip().strip("\"'").lower() for name, _, value in pairs}


def _is_file(path: Path) -> bool:
    try:
        return path.is_file() or path.with_suffix(".exe").is_file()
    except OSError:
        return False
