"""The files by which a kernel tells of its GPUs, below a folder that stands in for /."""

from pathlib import Path

from specchat.speculative.devices import Device
from specchat.speculative.llama.backend import BuildInfo

CARD_SLOT, BUILT_IN_SLOT = "0000:01:00.0", "0000:00:02.0"


def write(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def pci_card(root: Path, vendor: str, slot: str = CARD_SLOT, kind: str = "0x030000", **files: str) -> None:
    """A device on the bus, of a `vendor` such as 0x10de and a class such as 0x030000."""
    for name, text in {"vendor": vendor, "class": kind, **files}.items():
        write(root, f"sys/bus/pci/devices/{slot}/{name}", f"{text}\n")


def nvidia(root: Path, *, driver: bool = True, devices: bool = True) -> None:
    """A GPU of NVIDIA as a machine shows it, as far as its `driver` is loaded and its `devices` may be reached."""
    pci_card(root, "0x10de", kind="0x030200")
    if driver:
        version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
        write(root, "proc/driver/nvidia/version", version)
        write(root, f"proc/driver/nvidia/gpus/{CARD_SLOT}/information", "Model: \t\t NVIDIA H200\nIRQ: 1\n")
    if devices:
        write(root, "dev/nvidia0")
        write(root, "dev/nvidiactl")


def amd(root: Path, memory: int = 16 << 30) -> None:
    pci_card(root, "0x1002", mem_info_vram_total=str(memory))
    write(root, "dev/kfd")
    write(root, "dev/dri/renderD128")


def vulkan(root: Path, headers: int = 309) -> None:
    """All that a build for Vulkan takes; `headers` is the last number of their version."""
    write(root, "usr/bin/glslc")
    write(root, "usr/include/vulkan/vulkan_core.h", f"// licence\n#define VK_HEADER_VERSION {headers}\n")
    write(root, "usr/include/spirv/unified1/spirv.hpp")
    write(root, "usr/share/vulkan/icd.d/radeon_icd.x86_64.json")


def build(*backends: str, gpu: bool = False) -> BuildInfo:
    """A build of llama.cpp for these, which sees a GPU or not."""
    devices = (Device("CPU", "Some CPU", 0, 0, "CPU"), *([Device("CUDA0", "H200", 1, 2, "GPU")] if gpu else []))
    return BuildInfo("0", gpu, "", devices, (*backends, "CPU"))
