"""What the installed llama.cpp can do, and the devices that it sees."""

import re
from typing import TYPE_CHECKING

from ..display.quantities import file_size
from ..models.loading import importing_llama_cpp
from .rows import Row

if TYPE_CHECKING:
    from specchat.speculative.devices import Device
    from specchat.speculative.llama.backend import BuildInfo


def found_build() -> "BuildInfo":
    """The installed llama.cpp. Raises `SpecchatError` where it cannot be imported."""
    with importing_llama_cpp():
        from specchat.speculative.llama.backend import build_info

        return build_info()


def build_rows(build: "BuildInfo") -> list[Row]:
    """What it is, and what it sees."""
    features = re.findall(r"(\w+) = [1-9]", build.features)
    kinds = "unknown" if build.backends is None else ", ".join(build.backends)
    return [
        Row(name="llama.cpp", value=build.llama_version),
        Row(name="built for", value=kinds, figures={"backends": build.backends}),
        Row(name="built with", value=" ".join(features), figures={"features": features}),
        *map(_device_row, build.devices),
    ]


def broken_rows(error: str, command: str, advice: str) -> list[Row]:
    """What there is to say where it cannot be imported, and how to build it again."""
    return [Row(name="llama.cpp", value=error, command=command, advice=advice, wrong=True)]


def _device_row(device: "Device") -> Row:
    figures = {"device": device.name, "kind": device.kind, "free_bytes": device.free, "total_bytes": device.total}
    return Row(name="device", value=f"{device.name}: {device.description}{_room(device)}", figures=figures)


def _room(device: "Device") -> str:
    """The memory of a device that has some of its own."""
    if not device.total or device.name == "CPU":
        return ""
    return f", {file_size(device.free)} of {file_size(device.total)} free"
