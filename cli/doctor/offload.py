"""Why no GPU computes though there is one, and what mends it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..environment import Environment
from .backends import FLAGS, commands_before, way_for, ways_built
from .drivers import driver_rows
from .gpus import find_graphics
from .graphics import Gpu, Graphics
from .hiding import choosing, hiding
from .installer import Installer, find_installer
from .rows import Row
from .toolkits import CUDA, HIP, SYCL, VULKAN, Toolkits, find_toolkits

if TYPE_CHECKING:
    from specchat.speculative.llama.backend import BuildInfo

_ASK = {CUDA: "nvidia-smi", HIP: "rocminfo", VULKAN: "vulkaninfo --summary", SYCL: "sycl-ls"}
"""What shows whether a driver answers."""
NAME = "GPU offload"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What decides whether a GPU computes, beside llama.cpp."""

    graphics: Graphics
    toolkits: Toolkits
    installer: Installer
    variables: Mapping[str, str]

    def rebuild(self, gpu: Gpu) -> tuple[str, str]:
        """What to type to have llama.cpp compiled for a GPU, and what to do before that no command does."""
        way = way_for(gpu, self.toolkits)
        commands, advice = commands_before(way, self.toolkits)
        return self._joined([*commands, self.installer.rebuild(FLAGS[way])]), advice

    def flags(self) -> str:
        """What CMAKE_ARGS should say here."""
        return FLAGS[way_for(self.graphics.best, self.toolkits)] if self.graphics.best else ""

    def _joined(self, commands: list[str]) -> str:
        return ("; " if self.installer.powershell else " && ").join(commands)


def machine_of(env: Environment) -> Machine:
    """The one that we are on."""
    return Machine(
        graphics=find_graphics(env.system),
        toolkits=find_toolkits(env.system, env.variables),
        installer=find_installer(env.variables),
        variables=env.variables,
    )


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
    if name := hides or "".join(chosen[:1]):
        value = machine.variables[name]
        said = f"{name} is {value or 'empty'}, {'which leaves' if hides else 'which may leave'} llama.cpp no device"
        return _row(f"no: {said}", False, machine.installer.without(name), wrong=True)
    value = (
        f"no: the driver shows llama.cpp no device, though there is an {gpu.title}; it may be too old for this build"
    )
    ask = _ASK.get(ways[0], "")
    return _row(value, False, f"{ask}  # what the driver says" if ask else "", wrong=not gpu.shared)


def _other_build(machine: Machine, build: "BuildInfo", gpu: Gpu) -> list[Row]:
    """Where llama.cpp has to be built again."""
    what = "computes on the CPU only" if build.cpu_only else f"is for {', '.join(build.gpu_backends)}"
    if gpu.shared:
        value = f"no: this build {what}. {gpu.title} shares the CPU's memory, so it may be no faster"
        return [_row(value, False, *machine.rebuild(gpu))]
    reminder = "run says so once a day; gpu_hint: off in config.yaml or SPECCHAT_GPU_HINT=off ends that"
    mentioned = [Row(name="reminder", value=reminder)] if build.cpu_only else []
    value = f"no: this build {what}, though there is an {gpu.title}"
    return [_row(value, False, *machine.rebuild(gpu), wrong=True), *mentioned]


def _row(value: str, works: bool, command: str = "", advice: str = "", *, wrong: bool = False) -> Row:
    return Row(name=NAME, value=value, command=command, advice=advice, wrong=wrong, figures={"works": works})
