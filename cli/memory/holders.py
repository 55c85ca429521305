"""Which programs hold memory of GPUs, as far as that is quickly known."""

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..environment import Environment
from ..system_files import entries, text_of

_PATIENCE = 2.0
"""Seconds for NVIDIA's tool, which takes a tenth of one."""
_MOST = 3
_LEAST = 64 << 20
_QUERY = ("--query-compute-apps=process_name,used_memory", "--format=csv,noheader,nounits")
_MEMORY = re.compile(r"^drm-(?:total|memory)-(?:vram|local)\d*:\s*(\d+)\s*(KiB|MiB|GiB)?", re.MULTILINE)
_CLIENT = re.compile(r"^drm-client-id:\s*(\d+)", re.MULTILINE)
_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


@dataclass(frozen=True, slots=True)
class Holder:
    """A program, and the bytes that it holds."""

    name: str
    held: int


def holders(env: Environment) -> list[Holder]:
    """The programs that hold most, those first; none where nothing tells. Raises nothing."""
    found: Counter[str] = Counter()
    for name, held in [*_of_nvidia(env), *_of_kernel(env.system / "proc")]:
        found[name] += held
    return [Holder(name, held) for name, held in found.most_common(_MOST) if held >= _LEAST]


def _of_nvidia(env: Environment) -> Iterator[tuple[str, int]]:
    """What the driver says of programs that compute."""
    tool = shutil.which("nvidia-smi", path=env.variables.get("PATH", ""))
    if tool is None:
        return
    try:
        done = subprocess.run([tool, *_QUERY], capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return
    for line in done.stdout.decode(errors="replace").splitlines():
        name, _, size = line.rpartition(",")
        if size.strip().isdecimal():
            yield _last(name.strip()), int(size) << 20


def _of_kernel(processes: Path) -> Iterator[tuple[str, int]]:
    """What Linux says of the open files of processes that may be looked into: drm-usage-stats of its documentation."""
    for process in entries(processes):
        if not process.name.isdecimal():
            continue
        clients: dict[str, int] = {}
        for file in entries(process / "fdinfo"):
            text = text_of(file)
            if client := _CLIENT.search(text):
                sizes = [int(number) * _UNITS[unit] for number, unit in _MEMORY.findall(text)]
                clients[client[1]] = max(sizes, default=0)
        if held := sum(clients.values()):
            yield text_of(process / "comm") or process.name, held


def _last(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]
