"""Which devices a model is loaded onto, as llama.cpp wants to be told."""

import ctypes
from collections.abc import Sequence
from itertools import count
from typing import Any

import llama_cpp

from ..devices import Device, reached, taking_layers
from ..errors import ModelLoadError, UsageError
from .backend import start_backend
from .config import LlamaConfig
from .ggml import device_pointers, main_memory, named_devices

_EXPERTS = rb"\.ffn_(up|down|gate|gate_up)_(ch|)exps"
"""The names of experts' tensors: LLM_FFN_EXPS_REGEX in common/common.h of llama.cpp."""


class _Override(ctypes.Structure):
    """llama_model_tensor_buft_override."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buft", ctypes.c_void_p))


def place(parameters: "llama_cpp.llama_model_params", config: LlamaConfig) -> object:
    """Say in `parameters` where the layers go; what is returned must live as long as the model.

    Raises `UsageError` for devices that are not there, `ModelLoadError` for a build that cannot be told.
    """
    kept: list[object] = []
    parameters.n_gpu_layers = config.n_gpu_layers
    if not config.mmap:
        parameters.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE
    check_placing(config)
    there = named_devices()
    if config.devices is not None or any(device.is_remote for device in there):
        pointers = device_pointers()
        chosen = [pointers[index] for index in _places(_names(config, there), there)]
        kept.append(devices := (ctypes.c_void_p * (len(chosen) + 1))(*chosen, None))
        _point(parameters, "devices", devices)
    if config.tensor_split:
        kept.append(split := (ctypes.c_float * llama_cpp.LLAMA_MAX_DEVICES)(*config.tensor_split))
        parameters.tensor_split = split
    if config.cpu_moe:
        kept.append(overrides := (_Override * 2)(_Override(_EXPERTS, _main_memory()), _Override()))
        _point(parameters, "tensor_buft_overrides", overrides)
    return kept


def _point(parameters: "llama_cpp.llama_model_params", name: str, array: "ctypes.Array[Any]") -> None:
    """Let a field that llama-cpp-python declares as an array, and makes a plain pointer, point to one."""
    setattr(parameters, name, ctypes.addressof(array))


def check_placing(config: LlamaConfig) -> None:
    """Raise `UsageError` for devices that are not there, or for more shares than devices."""
    if config.devices is None and not config.tensor_split:
        return
    start_backend()
    there = named_devices()
    used = len(_places(_names(config, there), there))
    if len(config.tensor_split) > used:
        shares = ",".join(f"{share:g}" for share in config.tensor_split)
        raise UsageError(f"--tensor-split {shares} is for {len(config.tensor_split)} devices, but there are {used}.")


def _names(config: LlamaConfig, there: Sequence[Device]) -> tuple[str, ...]:
    """The devices that layers go to: without a word of them those that llama.cpp takes, but of no server not asked."""
    if config.devices is not None:
        return config.devices
    return tuple(device.name for device in taking_layers(reached(there, config.rpc)))


def _places(names: Sequence[str], there: Sequence[Device]) -> list[int]:
    """Where the named ones are among those that are `there`; the CPU is always in use, so it is none of them."""
    places = {device.name.casefold(): place for place, device in zip(count(), there) if device.kind != "CPU"}
    for name in names:
        if name.casefold() not in places:
            known = ", ".join(device.name for device in there if device.kind != "CPU")
            hint = f"There are: {known}." if known else "llama.cpp sees no device but the CPU: see specchat doctor."
            raise UsageError(f"There is no device {name!r}.", hint)
    return [places[name.casefold()] for name in names]


def _main_memory() -> int:
    memory = main_memory()
    if memory is None:
        raise ModelLoadError("This build of llama.cpp does not say how to keep tensors in main memory.")
    return memory
