"""What is asked of ggml itself, below llama.cpp: llama-cpp-python has no bindings for it.

Start the backend before any of it: see `start_backend`.
"""

import ctypes
from pathlib import Path

import llama_cpp

from ..devices import Device

_KINDS = ("CPU", "GPU", "IGPU")  # the first of ggml_backend_dev_type


def registered() -> tuple[str, ...] | None:
    """The backends of this build, by `ggml_backend_reg_name`; None where it does not tell."""
    base, registry = _library("ggml-base"), _library("ggml")
    if base is None or registry is None:
        return None
    registry.ggml_backend_reg_count.restype = ctypes.c_size_t
    registry.ggml_backend_reg_get.restype = ctypes.c_void_p
    registry.ggml_backend_reg_get.argtypes = [ctypes.c_size_t]
    base.ggml_backend_reg_name.restype, base.ggml_backend_reg_name.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    places = range(registry.ggml_backend_reg_count())
    return tuple(base.ggml_backend_reg_name(registry.ggml_backend_reg_get(place)).decode() for place in places)


def all_devices() -> tuple[Device, ...]:
    """The devices of this build, with their memory as it is now; none where it does not tell."""
    base = _library("ggml-base")
    return () if base is None else tuple(_device(base, pointer) for pointer in device_pointers())


def device_pointers() -> tuple[int, ...]:
    """The `ggml_backend_dev_t` of each of `all_devices`, in their order."""
    registry = _library("ggml")
    if registry is None:
        return ()
    registry.ggml_backend_dev_count.restype = ctypes.c_size_t
    registry.ggml_backend_dev_get.restype = ctypes.c_void_p
    registry.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    return tuple(registry.ggml_backend_dev_get(index) for index in range(registry.ggml_backend_dev_count()))


def main_memory() -> int | None:
    """The `ggml_backend_buffer_type_t` of the memory of the CPU; None where this build does not tell."""
    base = _library("ggml-base")
    if base is None:
        return None
    base.ggml_backend_cpu_buffer_type.restype = ctypes.c_void_p
    pointer: int = base.ggml_backend_cpu_buffer_type()
    return pointer


def _device(base: ctypes.CDLL, pointer: int) -> Device:
    for function in (base.ggml_backend_dev_name, base.ggml_backend_dev_description):
        function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    base.ggml_backend_dev_type.restype, base.ggml_backend_dev_type.argtypes = ctypes.c_int, [ctypes.c_void_p]
    size = ctypes.POINTER(ctypes.c_size_t)
    base.ggml_backend_dev_memory.restype = None
    base.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size, size]
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    base.ggml_backend_dev_memory(pointer, ctypes.byref(free), ctypes.byref(total))
    name, description = base.ggml_backend_dev_name(pointer), base.ggml_backend_dev_description(pointer)
    kind = dict(enumerate(_KINDS)).get(base.ggml_backend_dev_type(pointer), "")
    return Device(name.decode(), description.decode(), free.value, total.value, kind)


def _library(name: str) -> ctypes.CDLL | None:
    """One of llama.cpp's libraries, as installed beside llama_cpp; None where it is linked in statically."""
    folder = Path(llama_cpp.__file__).parent / "lib"
    for file in (f"lib{name}.so", f"lib{name}.dylib", f"{name}.dll", f"lib{name}.dll"):
        if (folder / file).exists():
            return ctypes.CDLL(str(folder / file))
    return None
