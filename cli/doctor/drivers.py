"""Drivers of GPUs, and the files through which programs reach them."""

from .graphics import AMD, INTEL, NVIDIA, Graphics
from .rows import Row
from .toolkits import Toolkits

_INTO_CONTAINER = {
    ("docker", NVIDIA): "docker run --gpus all …",
    ("podman", NVIDIA): "podman run --device nvidia.com/gpu=all …",
    ("docker", AMD): "docker run --device /dev/kfd --device /dev/dri …",
    ("podman", AMD): "podman run --device /dev/kfd --device /dev/dri …",
    ("docker", INTEL): "docker run --device /dev/dri …",
    ("podman", INTEL): "podman run --device /dev/dri …",
}
"""How a container is started that may use a GPU."""
_MODULES = {AMD: "amdgpu", INTEL: "i915"}
_FILES = {NVIDIA: ("/dev/nvidia", "/dev/dxg"), AMD: ("/dev/kfd", "/dev/dri/"), INTEL: ("/dev/dri/",)}
"""What the files start with through which programs reach a GPU."""


def driver_rows(graphics: Graphics, toolkits: Toolkits) -> list[Row]:
    """A row for NVIDIA's driver where it is there, and for whatever keeps programs from a GPU of any vendor.

    A GPU that shares the memory of the CPU needs nothing mended.
    """
    rows = [_nvidia(graphics, toolkits)] if graphics.of(NVIDIA) else []
    for vendor in (AMD, INTEL):
        gpus = graphics.of(vendor)
        if gpus and not _reachable(graphics, vendor) and not all(gpu.shared for gpu in gpus):
            rows.append(_unreachable(graphics, vendor, toolkits.as_root(f"modprobe {_MODULES[vendor]}")))
    return [*rows, *_closed(graphics, toolkits)]


def _nvidia(graphics: Graphics, toolkits: Toolkits) -> Row:
    if not graphics.driver:
        said = "not loaded: without it nothing can compute on NVIDIA's GPUs"
        page = "" if toolkits.nvidia_driver else "Install NVIDIA's driver: https://www.nvidia.com/drivers"
        return Row(name="driver", value=said, command=toolkits.nvidia_driver, advice=page, wrong=True)
    on_windows = not graphics.devices and graphics.driver == "unknown"  # which has no files for devices
    if not _reachable(graphics, NVIDIA) and not on_windows:
        return _unreachable(graphics, NVIDIA, toolkits.as_root("nvidia-modprobe -u -c=0"))
    return Row(name="driver", value=f"NVIDIA {graphics.driver}", figures={"version": graphics.driver})


def _reachable(graphics: Graphics, vendor: str) -> bool:
    return any(each.startswith(_FILES[vendor]) for each in graphics.devices)


def _unreachable(graphics: Graphics, vendor: str, command: str) -> Row:
    where = "this container was started without" if graphics.container else "there are no"
    files = " and ".join(f"{start}{'' if start.endswith(('kfd', 'dxg')) else '*'}" for start in _FILES[vendor][:1])
    return Row(
        name="driver",
        value=f"no way to {vendor}'s GPUs: {where} {files}",
        command=_INTO_CONTAINER.get((graphics.container, vendor), command),
        wrong=True,
    )


def _closed(graphics: Graphics, toolkits: Toolkits) -> list[Row]:
    """Files that this account may not open; one file that it may open is enough."""
    if not graphics.gpus or set(graphics.closed) != set(graphics.devices) or not graphics.closed:
        return []
    return [
        Row(
            name="devices",
            value=f"this account may not open {', '.join(graphics.closed)}",
            command=toolkits.as_root('usermod -aG render,video "$USER"') + "  # then log in again",
            wrong=not all(gpu.shared for gpu in graphics.gpus),
        )
    ]
