"""The CPUs that compute well together, as Linux and macOS tell them."""

import ctypes
from collections.abc import Callable, Collection
from pathlib import Path

from .system_files import text_of

_ALIKE = 0.75
"""A CPU with less than this share of the largest capacity would make all others wait for it."""


def linux_cores(root: Path, allowed: Collection[int]) -> int:
    """The physical cores of those CPUs in `allowed` that are as fast as the fastest; `root` is the file system's.

    Hyperthreads of one core only get into each other's way. Each is its own core where the system does not tell.
    """
    folder = root / "sys/devices/system/cpu"
    cores = [text_of(folder / f"cpu{cpu}/topology/thread_siblings_list") or str(cpu) for cpu in _fast(root, allowed)]
    return len(set(cores))


def mac_cores(read: Callable[[str], int | None] | None = None) -> int | None:
    """The physical performance cores, or all physical ones where there is one kind; `read` gives values of sysctl."""
    read = read or _sysctl
    return read("hw.perflevel0.physicalcpu") or read("hw.physicalcpu")


def _fast(root: Path, allowed: Collection[int]) -> Collection[int]:
    """Intel's kernels list the two kinds of a hybrid CPU; those of Arm say what each CPU is able to do."""
    performance = _listed(text_of(root / "sys/devices/cpu_core/cpus")).intersection(allowed)
    if performance and text_of(root / "sys/devices/cpu_atom/cpus"):
        return performance
    files = {cpu: root / f"sys/devices/system/cpu/cpu{cpu}/cpu_capacity" for cpu in allowed}
    able = {cpu: int(text) for cpu, file in files.items() if (text := text_of(file)).isdigit()}
    if len(able) < len(allowed):
        return allowed
    return [cpu for cpu in allowed if able[cpu] >= _ALIKE * max(able.values())]


def _listed(text: str) -> set[int]:
    """The numbers of a list such as 0-3,8."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            found.update(range(int(first), int(last or first) + 1))
    return found


def _sysctl(name: str) -> int | None:
    value, size = ctypes.c_int32(), ctypes.c_size_t(4)
    failed = ctypes.CDLL(None).sysctlbyname(name.encode(), ctypes.byref(value), ctypes.byref(size), None, 0)
    return None if failed else value.value
