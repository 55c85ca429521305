"""llama.cpp as a whole: started once, silent unless asked, and what this build of it can do."""

import ctypes
import functools
import os
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import llama_cpp

from ..devices import Device, reached, taking_layers
from ..errors import ModelLoadError
from ..visible import visible
from .ggml import built_for, named_devices
from .rpc.courier import asked_devices

_ERROR, _CONTINUED = 4, 5  # of ggml_log_level
_NO_GPUS = {"CPU", "BLAS", "RPC", "ZenDNN"}
"""Backends that compute on no GPU of this machine, as ggml calls them."""
_TILED = "GGML_CPU_TILED_MM"
_REASON = "error loading model: "


class Backend:
    """The running llama.cpp; keeps its last complaints, so that errors can quote them.

    One for the process, because llama.cpp has one log: see `start_backend`.
    """

    def __init__(self) -> None:
        self.verbose = False
        self._tiled: bool | None = None
        self._complaints: deque[str] = deque(maxlen=16)
        self._level = 0
        # Must outlive every call of llama.cpp, and be set before the first one: llama.cpp logs to stderr at will.
        self._callback = llama_cpp.llama_log_callback(self._log)
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()

    def choose_kernels(self, tiled: bool) -> None:
        """Let the CPU multiply by kernels that take several tokens at once, or else row by row.

        The first choice counts for the process, save that row by row is good for everybody. Raises `ModelLoadError`
        where that comes too late: see `ggml_tiled_matmul_enabled` in llama.cpp's ggml-cpu/tiled.
        """
        if self._tiled is None:
            os.environ.pop(_TILED, None)
            os.environ |= {} if tiled else {_TILED: "0"}
        self._tiled = tiled if self._tiled is None else self._tiled
        if self._tiled and not tiled:
            raise ModelLoadError(
                "This model needs other kernels than one that was loaded before it, and there can be only one choice.",
                "Load it alone.",
            )

    def take_complaint(self) -> str:
        """The most telling of the errors that llama.cpp logged since the last call; empty if there is none."""
        lines = list(self._complaints)
        self._complaints.clear()
        for line in lines:
            if _REASON in line:
                return line.rpartition(_REASON)[2]
        return lines[0].partition(": ")[2] if lines else ""

    def _log(self, level: int, text: bytes, _data: object) -> None:
        """Called by llama.cpp, from any thread."""
        self._level = self._level if level == _CONTINUED else level
        if self._level == _ERROR:
            self._complaints.append(text.decode(errors="replace").strip())
        if self.verbose and sys.stderr is not None:
            said = text.decode(errors="replace")  # and with it what a model's file says
            sys.stderr.write(visible(said) if sys.stderr.isatty() else said)


@functools.cache
def start_backend() -> Backend:
    """The one backend of this process, started by the first call."""
    return Backend()


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """What the installed llama.cpp is and can do.

    `gpu_offload` is whether it sees a GPU now. `backends` are what it was built for, whether there is such a device or
    not, by ggml's names ("CPU", "CUDA", "ROCm", "Vulkan", "SYCL", "MTL"); None where that is not known.
    """

    llama_version: str
    gpu_offload: bool
    features: str
    devices: tuple[Device, ...]
    backends: tuple[str, ...] | None = None

    @property
    def cpu_only(self) -> bool:
        """Whether it can use no GPU, whatever there is."""
        return not self.gpu_offload and not self.gpu_backends

    @property
    def gpu_backends(self) -> tuple[str, ...]:
        """The kinds of GPUs that it was built for."""
        return tuple(name for name in self.backends or () if name not in _NO_GPUS)


def build_info() -> BuildInfo:
    """Describe the installed llama.cpp. Raises `ServerError` where servers are connected and one is lost."""
    start_backend()
    return BuildInfo(
        llama_version=llama_cpp.llama_version().decode(errors="replace"),
        gpu_offload=sees_gpu(),
        features=llama_cpp.llama_print_system_info().decode(errors="replace").strip(),
        devices=asked_devices(),
        backends=built_for(),
    )


@functools.cache
def device_names() -> tuple[str, ...]:
    """What llama.cpp can compute on now, on this machine."""
    start_backend()
    return tuple(f"{device.name} {device.description}" for device in named_devices() if not device.is_remote)


def sees_gpu(named: tuple[str, ...] | None = None, rpc: Sequence[str] = ()) -> bool:
    """Whether there are such `gpus`; a build for other machines says so without any."""
    found = gpus(named, rpc)
    return bool(llama_cpp.llama_supports_gpu_offload()) if found is None else bool(found)


def gpus(named: tuple[str, ...] | None = None, rpc: Sequence[str] = ()) -> tuple[str, ...] | None:
    """What models are put on, by what it is: the `named` devices, or what llama.cpp takes by itself, and `rpc`.

    None where this build does not tell.
    """
    start_backend()
    if named is not None:
        described = {device.name.casefold(): device.description for device in named_devices()}
        return tuple(described[name.casefold()] for name in named)
    if not llama_cpp.llama_supports_gpu_offload():
        return ()
    devices = named_devices()
    return gpus_of(reached(devices, rpc)) if devices else None


def gpus_of(devices: Sequence[Device]) -> tuple[str, ...]:
    """Those of the `devices` that llama.cpp puts models on: one that shares the CPU's memory only where no other is."""
    return tuple(each.description for each in taking_layers(devices))
