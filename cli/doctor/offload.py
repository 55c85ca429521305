"""Why no GPU computes though there is one, and what mends it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .backends import way_for, ways_built, ways_known
from .drivers import driver_rows
from .graphics import NVIDIA, Gpu, Graphics
from .hiding import choosing, hiding, missing_drivers
from .rebuilding import Machine
from .rows import Row
from .toolkits import CUDA, HIP, SYCL, VULKAN, Toolkits

if TYPE_CHECKING:
    from specchat.speculative.llama.backend import BuildInfo

_ASK = {CUDA: "nvidia-smi", HIP: "rocminfo", VULKAN: "vulkaninfo --summary", SYCL: "sycl-ls"}
"""What asks a driver for its devices."""
NAME = "GPU offload"


def offload_rows(machine: Machine, build: "BuildInfo | None") -> list[Row]:
    """The GPUs of this machine, and whether this build, None where it cannot be imported, uses them."""
    drivers = driver_rows(machine.graphics, machine.toolkits)
    return [*_gpu_rows(machine.graphics), *drivers, *(_offload(machine, build, drivers) if build else [])]


def _gpu_rows(graphics: Graphics) -> list[Row]:
    if not graphics.gpus:
        return [Row(name="GPU", value="none found")]
    return [
        Row(
            name="GPU",
            value=gpu.title + (", which shares the CPU's memory" if gpu.shared else ""),
            figures={"vendor": gpu.vendor, "name": gpu.name or None, "shared": gpu.shared},
        )
        for gpu in graphics.gpus
    ]


def _offload(machine: Machine, build: "BuildInfo", drivers: list[Row]) -> list[Row]:
    gpu = machine.graphics.best
    if any(device.kind in ("GPU", "IGPU") for device in build.devices) or build.gpu_offload:
        return [_row("yes", True)]
    if name := missing_drivers(ways_known(build.gpu_backends), machine.variables):
        said = f"{name} is {machine.variables[name]}, where there is no driver"
        return [_row(f"no: {said}", False, machine.installer.without(name), wrong=True)]
    if gpu is None:
        return [_row("no: this build computes on the CPU only" if build.cpu_only else "no: there is no GPU", False)]
    ways = ways_built(gpu, build.gpu_backends)
    if not ways:
        return _other_build(machine, build, gpu)
    return [_no_device(machine, gpu, ways, drivers)]


def _no_device(machine: Machine, gpu: Gpu, ways: Sequence[str], drivers: Sequence[Row]) -> Row:
    """Where a build that could use a GPU sees none."""
    chosen = choosing(ways, machine.variables)
    hides = hiding(ways, machine.variables)
    if not hides and any(row.wrong for row in drivers):
        return _row("no, for the reason above", False)
    if not hides and _lacks_driver(machine, gpu, ways):
        command = machine.toolkits.vulkan_driver
        advice = "" if command else "Install Mesa's driver for Vulkan."
        return _row("no: there is no driver for Vulkan", False, command, advice, wrong=not gpu.shared)
    if name := hides or "".join(chosen[:1]):
        value = machine.variables[name]
        said = f"{name} is {value or 'empty'}, {'which leaves' if hides else 'which may leave'} llama.cpp no device"
        return _row(f"no: {said}", False, machine.installer.without(name), wrong=True)
    value = (
        f"no: the driver shows llama.cpp no device, though there is an {gpu.title}; it may be too old for this build"
    )
    return _row(value, False, _ask(ways[0], machine.toolkits), wrong=not gpu.shared)


def _lacks_driver(machine: Machine, gpu: Gpu, ways: Sequence[str]) -> bool:
    """Whether a build for Vulkan alone finds no driver; NVIDIA's own brings it along.

    Where no distribution is known, drivers are elsewhere.
    """
    toolkits = machine.toolkits
    known = ways == [VULKAN] and gpu.vendor != NVIDIA and toolkits.distribution != ""
    return known and not toolkits.vulkan.driver


def _ask(way: str, toolkits: Toolkits) -> str:
    """The command that shows whether a driver answers; empty where none is known."""
    if way not in _ASK:
        return ""
    package = "; it is in the package vulkan-tools" if way == VULKAN and toolkits.family else ""
    return f"{_ASK[way]}  # what the driver says{package}"


def _other_build(machine: Machine, build: "BuildInfo", gpu: Gpu) -> list[Row]:
    """Where llama.cpp has to be built again."""
    rebuild = machine.rebuild([way_for(gpu, machine.toolkits)])
    what = "computes on the CPU only" if build.cpu_only else f"is for {', '.join(build.gpu_backends)}"
    if gpu.shared:
        value = f"no: this build {what}. {gpu.title} shares the CPU's memory, so it may be no faster"
        return [_row(value, False, *rebuild)]
    reminder = "run says so once a day; gpu_hint: off in config.yaml or SPECCHAT_GPU_HINT=off ends that"
    mentioned = [Row(name="reminder", value=reminder)] if build.cpu_only else []
    value = f"no: this build {what}, though there is an {gpu.title}"
    return [_row(value, False, *rebuild, wrong=True), *mentioned]


def _row(value: str, works: bool, command: str = "", advice: str = "", *, wrong: bool = False) -> Row:
    return Row(name=NAME, value=value, command=command, advice=advice, wrong=wrong, figures={"works": works})
