"""Which way of building llama.cpp makes use of a GPU here."""

from .graphics import AMD, APPLE, INTEL, NVIDIA, Gpu
from .toolkits import CUDA, HIP, METAL, SYCL, VULKAN, Toolkits

_GGML_NAMES = {CUDA: ("CUDA",), HIP: ("ROCm",), VULKAN: ("Vulkan",), SYCL: ("SYCL",), METAL: ("MTL", "Metal")}
_WAYS = {NVIDIA: (CUDA, VULKAN), AMD: (HIP, VULKAN), INTEL: (SYCL, VULKAN), APPLE: (METAL,)}
"""The fastest first."""
FLAGS = {
    CUDA: "-DGGML_CUDA=on",
    HIP: "-DGGML_HIP=on",
    VULKAN: "-DGGML_VULKAN=on",
    SYCL: "-DGGML_SYCL=on -DCMAKE_C_COMPILER=icx -DCMAKE_CXX_COMPILER=icpx",
    METAL: "-DGGML_METAL=on",
}
"""What CMAKE_ARGS says for each."""
_BEFORE = {SYCL: ". /opt/intel/oneapi/setvars.sh"}


def way_for(gpu: Gpu, toolkits: Toolkits) -> str:
    """What to build for: of the ways to use a GPU, CUDA or Metal, and else the fastest that can be built here.

    Where none can, Vulkan, which every distribution has.
    """
    first, *others = _WAYS[gpu.vendor]
    if gpu.vendor in (NVIDIA, APPLE):
        return first
    return next((way for way in (first, *others) if way in toolkits.installed), VULKAN)


def ways_built(gpu: Gpu, backends: tuple[str, ...]) -> list[str]:
    """The ways to use a GPU that a build knows, by ggml's names for what it was built for."""
    return [way for way in _WAYS[gpu.vendor] if any(name in backends for name in _GGML_NAMES[way])]


def commands_before(way: str, toolkits: Toolkits) -> tuple[list[str], str]:
    """What has to be typed before a build, and a sentence where no command is known."""
    command, page = toolkits.missing(way)
    if page and not command:
        return [], f"First install what {way} takes to build: {page}"
    return [each for each in (command, _BEFORE.get(way, "")) if each], ""
