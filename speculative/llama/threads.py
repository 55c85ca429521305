"""How many threads to compute with."""

import os
import sys
from collections.abc import Collection
from pathlib import Path

from .cgroups import cpu_limit
from .config import LlamaConfig
from .cpus import linux_cores, mac_cores

_BESIDE_DEVICES = 4
"""Threads where devices compute all layers, for what one of them cannot do; llama.cpp wakes none for the rest."""
_FEW = 4


def default_threads() -> int:
    """One for each physical core that is fast and that this process may use, as far as the system tells."""
    if sys.platform == "darwin":
        return mac_cores() or os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return linux_threads(Path("/"), os.sched_getaffinity(0))
    return threads_of(os.cpu_count() or 1)


def linux_threads(root: Path, allowed: Collection[int]) -> int:
    """One for each fast core in `allowed`, and no more than the limit of a container; `root` is the file system's."""
    limit = cpu_limit(root)
    cores = linux_cores(root, allowed)
    return max(1, cores if limit is None else min(cores, int(limit)))


def threads_of(cpus: int) -> int:
    """As llama.cpp guesses it where nothing but the number of CPUs is known: two of many are one core."""
    return cpus if cpus <= _FEW else cpus // 2


def chosen_threads(config: LlamaConfig, on_devices: bool, cores: int | None = None) -> tuple[int, int]:
    """How many decode, and how many read prompts; few of either where all layers are `on_devices`."""
    cores = default_threads() if cores is None else cores
    unsaid = min(cores, _BESIDE_DEVICES) if on_devices else cores
    threads = config.threads or unsaid
    return threads, config.threads_batch or threads
