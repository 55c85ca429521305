"""Variables that hide GPUs from programs."""

from collections.abc import Mapping, Sequence

from .toolkits import CUDA, HIP, SYCL, VULKAN

_CHOOSING = {
    CUDA: ("CUDA_VISIBLE_DEVICES",),
    HIP: ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
    VULKAN: ("GGML_VK_VISIBLE_DEVICES",),
    SYCL: ("ONEAPI_DEVICE_SELECTOR", "ZE_AFFINITY_MASK"),
}


def choosing(ways: Sequence[str], variables: Mapping[str, str]) -> list[str]:
    """The variables that are set, and choose among the devices that llama.cpp sees in these `ways`."""
    return [
        name for name in dict.fromkeys(name for way in ways for name in _CHOOSING.get(way, ())) if name in variables
    ]


def hiding(ways: Sequence[str], variables: Mapping[str, str]) -> str:
    """The first of them that chooses no device at all: it is empty, or a number below 0. Empty where there is none."""
    return next((name for name in choosing(ways, variables) if variables[name].strip()[:1] in ("", "-")), "")
