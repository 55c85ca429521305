"""How many threads to compute with."""

import os
from pathlib import Path

_CPU_FOLDER = Path("/sys/devices/system/cpu")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def default_threads() -> int:
    """One for each physical core that this process may use: hyperthreads only get into each other's way."""
    allowed = _allowed_cpus()
    cores = {_core_of(cpu) for cpu in allowed}
    return max(1, min(len(cores), _quota(len(allowed))))


def _allowed_cpus() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return set(os.sched_getaffinity(0))
    count = os.cpu_count() or 1
    return set(range(count))


def _core_of(cpu: int) -> str:
    """A name shared by the hyperthreads of one core; each is its own core where the system does not tell."""
    try:
        return (_CPU_FOLDER / f"cpu{cpu}" / "topology" / "thread_siblings_list").read_text().strip()
    except OSError:
        return str(cpu)


def _quota(unlimited: int) -> int:
    """The whole CPUs that a container is allowed, `unlimited` where it has no limit."""
    try:
        quota, period = _QUOTA.read_text().split()
        return max(1, int(quota) // int(period))
    except (OSError, ValueError):
        return unlimited
