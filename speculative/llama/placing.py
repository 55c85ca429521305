"""Which devices a model is loaded onto, as llama.cpp wants to be told."""

import ctypes
from collections.abc import Sequence
from typing import Any

import llama_cpp

from ..devices import Device
from ..errors import ModelLoadError
from .backend import start_backend
from .config import LlamaConfig
from .ggml import device_pointers, main_memory, named_devices, with_memory
from .takers import takers

_MOST_LAYERS = 512
"""More no model has: LLAMA_MAX_LAYERS in llama-hparams.h of llama.cpp."""
_EXPERTS = rb"\.ffn_(up|down|gate|gate_up)_(ch|)exps"
"""The names of experts' tensors: LLM_FFN_EXPS_REGEX in common/common.h of llama.cpp."""


class _Override(ctypes.Structure):
    """llama_model_tensor_buft_override."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buft", ctypes.c_void_p))


def place(parameters: "llama_cpp.llama_model_params", config: LlamaConfig) -> object:
    """Say in `parameters` where the layers go; what is returned must live as long as the model.

    Raises what `takers` does, and `ModelLoadError` for a build that cannot be told.
    """
    kept: list[object] = []
    used, there = used_devices(config), named_devices()
    pointers = dict(zip((device.name for device in there), device_pointers(), strict=True))
    parameters.n_gpu_layers = -1 if config.n_gpu_layers is None else config.n_gpu_layers
    if not config.mmap:
        parameters.load_mode = llama_cpp.LLAMA_LOAD_MODE_NONE
    if config.devices is not None or any(device.is_remote for device in there):
        kept.append(devices := (ctypes.c_void_p * (len(used) + 1))(*(pointers[each.name] for each in used), None))
        _point(parameters, "devices", devices)
    if shares := config.tensor_split or _even_shares([with_memory(each, pointers[each.name]) for each in used]):
        kept.append(split := (ctypes.c_float * llama_cpp.LLAMA_MAX_DEVICES)(*shares))
        parameters.tensor_split = split
    if config.cpu_moe:
        pattern = _experts_of(config.cpu_moe)
        overrides = (_Override * 2)(_Override(pattern, _main_memory()), _Override())
        kept += [pattern, overrides]
        _point(parameters, "tensor_buft_overrides", overrides)
    return kept


def _point(parameters: "llama_cpp.llama_model_params", name: str, array: "ctypes.Array[Any]") -> None:
    """Let a field that llama-cpp-python declares as an array, and makes a plain pointer, point to one."""
    setattr(parameters, name, ctypes.addressof(array))


def used_devices(config: LlamaConfig) -> tuple[Device, ...]:
    """The devices that layers go to, without their memory. Raises what `takers` does."""
    start_backend()
    return takers(config, named_devices())


def _even_shares(used: Sequence[Device]) -> tuple[float, ...]:
    """What to tell llama.cpp where nothing is free: it would divide by that, and fail for a riddle of a reason."""
    return () if any(device.free for device in used) else (1.0,) * len(used)


def _experts_of(layers: int) -> bytes:
    """A regular expression for the names of the experts' tensors in so many of the first layers, or in all for -1."""
    if not 0 <= layers < _MOST_LAYERS:
        return _EXPERTS
    return rb"^blk\.(%s)%s" % (b"|".join(b"%d" % layer for layer in range(layers)), _EXPERTS)


def _main_memory() -> int:
    memory = main_memory()
    if memory is None:
        raise ModelLoadError("This build of llama.cpp does not say how to keep tensors in main memory.")
    return memory
