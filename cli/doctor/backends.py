"""Which way of building llama.cpp makes use of a GPU here."""

from collections.abc import Sequence
from dataclasses import dataclass

from .graphics import AMD, APPLE, INTEL, NVIDIA, Gpu
from .toolkits import CUDA, HIP, METAL, SYCL, VULKAN, Toolkits
from .vulkan import FETCH_HEADERS, FETCHED

_GGML_NAMES = {CUDA: ("CUDA",), HIP: ("ROCm",), VULKAN: ("Vulkan",), SYCL: ("SYCL",), METAL: ("MTL", "Metal")}
_WAYS = {NVIDIA: (CUDA, VULKAN), AMD: (HIP, VULKAN), INTEL: (SYCL, VULKAN), APPLE: (METAL,)}
"""The fastest first."""
_FLAGS = {
    CUDA: "-DGGML_CUDA=on",
    HIP: "-DGGML_HIP=on",
    VULKAN: "-DGGML_VULKAN=on",
    SYCL: "-DGGML_SYCL=on -DCMAKE_C_COMPILER=icx -DCMAKE_CXX_COMPILER=icpx",
    METAL: "-DGGML_METAL=on",
}
"""What CMAKE_ARGS says for each."""
_BEFORE = {SYCL: (". /opt/intel/oneapi/setvars.sh",)}


def way_for(gpu: Gpu, toolkits: Toolkits) -> str:
    """What to build for: of the ways to use a GPU, CUDA or Metal, and else the fastest that can be built here.

    Where none can, Vulkan, which every distribution has.
    """
    first, *others = _WAYS[gpu.vendor]
    if gpu.vendor in (NVIDIA, APPLE):
        return first
    return next((way for way in (first, *others) if way in toolkits.installed), VULKAN)


def ways_known(backends: Sequence[str]) -> list[str]:
    """What a build is for, by ggml's names for it."""
    return [way for way, names in _GGML_NAMES.items() if not set(names).isdisjoint(backends)]


def ways_built(gpu: Gpu, backends: Sequence[str]) -> list[str]:
    """The ways to use a GPU that a build knows, the fastest first."""
    known = ways_known(backends)
    return [way for way in _WAYS[gpu.vendor] if way in known]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to build for something: what CMAKE_ARGS says, the commands before, and a sentence where none is known."""

    flags: str
    before: tuple[str, ...] = ()
    advice: str = ""


def recipe_for(way: str, toolkits: Toolkits) -> Recipe:
    """How to build in one of the ways, with what is here."""
    command, page = toolkits.missing(way)
    advice = f"First install what {way} takes to build: {page}" if page and not command else ""
    fetches = way == VULKAN and toolkits.vulkan.old and not advice
    before = FETCH_HEADERS if fetches else _BEFORE.get(way, ())
    flags = f"{_FLAGS[way]} {FETCHED}" if fetches else _FLAGS[way]
    return Recipe(flags, tuple(filter(None, (command, *before))), advice)
