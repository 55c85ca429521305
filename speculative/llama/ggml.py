"""What is asked of ggml itself, below llama.cpp: llama-cpp-python has no bindings for it.

Start the backend before any of it: see `start_backend`.
"""

import ctypes
from dataclasses import replace
from pathlib import Path

import llama_cpp

from ..devices import Device

_KINDS = ("CPU", "GPU", "IGPU")  # the first of ggml_backend_dev_type
ABORT_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
"""`ggml_abort_callback_t`: told why ggml is about to abort the process."""


def built_for() -> tuple[str, ...] | None:
    """What this build is for, by `ggml_backend_reg_name`; None where it does not tell."""
    base, registry = _library("ggml-base"), _library("ggml")
    if base is None or registry is None:
        return None
    registry.ggml_backend_reg_count.restype = ctypes.c_size_t
    registry.ggml_backend_reg_get.restype = ctypes.c_void_p
    registry.ggml_backend_reg_get.argtypes = [ctypes.c_size_t]
    base.ggml_backend_reg_name.restype, base.ggml_backend_reg_name.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    places = range(registry.ggml_backend_reg_count())
    names = tuple(base.ggml_backend_reg_name(registry.ggml_backend_reg_get(place)).decode() for place in places)
    return with_silent(names, _library("ggml-vulkan"))


def with_silent(names: tuple[str, ...], library: object) -> tuple[str, ...]:
    """The same with Vulkan, if that `library` has it: its backend does not register where no driver answers."""
    silent = "Vulkan" not in names and hasattr(library, "ggml_backend_vk_reg")
    return ("Vulkan", *names) if silent else names


def all_devices() -> tuple[Device, ...]:
    """The devices of this build, with their memory as it is now; none where it does not tell."""
    return tuple(map(with_memory, named_devices(), device_pointers()))


def named_devices() -> tuple[Device, ...]:
    """The same without their memory, for which other machines may have to be asked."""
    base = _library("ggml-base")
    return () if base is None else tuple(_device(base, pointer) for pointer in device_pointers())


def with_memory(device: Device, pointer: int) -> Device:
    """The same with the memory of it, which is at that `ggml_backend_dev_t`, as that is now."""
    base = _library("ggml-base")
    assert base is not None
    size = ctypes.POINTER(ctypes.c_size_t)
    base.ggml_backend_dev_memory.restype = None
    base.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size, size]
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    base.ggml_backend_dev_memory(pointer, ctypes.byref(free), ctypes.byref(total))
    return replace(device, free=free.value, total=total.value)


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


def procedure(backend: str, name: str) -> int | None:
    """The address of a function that a backend has beyond what all have; None where this build is without it."""
    base, registry = _library("ggml-base"), _library("ggml")
    if base is None or registry is None:
        return None
    registry.ggml_backend_reg_by_name.restype = ctypes.c_void_p
    registry.ggml_backend_reg_by_name.argtypes = [ctypes.c_char_p]
    base.ggml_backend_reg_get_proc_address.restype = ctypes.c_void_p
    base.ggml_backend_reg_get_proc_address.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    found = registry.ggml_backend_reg_by_name(backend.encode())
    address: int | None = found and base.ggml_backend_reg_get_proc_address(found, name.encode())
    return address


def register(backend: int) -> None:
    """Let the devices of a `ggml_backend_reg_t` be devices of this build from now on."""
    registry = _library("ggml")
    assert registry is not None
    registry.ggml_backend_register.restype, registry.ggml_backend_register.argtypes = None, [ctypes.c_void_p]
    registry.ggml_backend_register(backend)


def on_abort(callback: "ctypes._FuncPointer") -> None:
    """Have an `ABORT_CALLBACK`, which must live as long as the process, called where ggml would abort it."""
    base = _library("ggml-base")
    assert base is not None
    base.ggml_set_abort_callback.restype, base.ggml_set_abort_callback.argtypes = ctypes.c_void_p, [ABORT_CALLBACK]
    base.ggml_set_abort_callback(callback)


def _device(base: ctypes.CDLL, pointer: int) -> Device:
    for function in (base.ggml_backend_dev_name, base.ggml_backend_dev_description):
        function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    base.ggml_backend_dev_type.restype, base.ggml_backend_dev_type.argtypes = ctypes.c_int, [ctypes.c_void_p]
    name, description = base.ggml_backend_dev_name(pointer), base.ggml_backend_dev_description(pointer)
    kind = dict(enumerate(_KINDS)).get(base.ggml_backend_dev_type(pointer), "")
    return Device(name.decode(), description.decode(), 0, 0, kind)


def _library(name: str) -> ctypes.CDLL | None:
    """What finds the functions of one of llama.cpp's libraries; None where there is no such file.

    Through libllama the system finds those of the libraries that it uses. By a name of its own one would be loaded a
    second time, with a registry of its own: wheels hold copies where a build has links.
    """
    folder = Path(llama_cpp.__file__).parent / "lib"
    for file in ("libllama.so", "libllama.dylib", f"{name}.dll", f"lib{name}.dll"):
        if (folder / file).exists():
            return ctypes.CDLL(str(folder / file))
    return None
