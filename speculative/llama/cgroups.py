"""The CPUs that a container may use, as Linux keeps it to them."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from .system_files import text_of


def cpu_limit(root: Path) -> float | None:
    """The smallest limit of the control groups that this process is in, in CPUs; None without one.

    `root` is that of the file system. A group within others has their limits, too.
    """
    limits = [limit for folder in _groups(root) if (limit := _limit(folder)) is not None]
    return min(limits, default=None)


def _groups(root: Path) -> Iterator[Path]:
    """The folders of the groups, from the innermost out, of both versions: /proc/self/cgroup names them."""
    mounts = root / "sys/fs/cgroup"
    for line in text_of(root / "proc/self/cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers and "cpu" not in controllers.split(","):
            continue
        for mount in [mounts / controllers, mounts / "cpu"] if controllers else [mounts, mounts / "unified"]:
            inside = PurePosixPath(path.lstrip("/"))
            # Without a namespace of its own, a container sees the path of the host, of which it has the last part only.
            yield from (mount / each for each in (inside, *inside.parents) if ".." not in each.parts)
    yield mounts


def _limit(folder: Path) -> float | None:
    """The quota over its period: in one file of version 2, in two of version 1."""
    words = [
        word for name in ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us") for word in text_of(folder / name).split()
    ]
    if len(words) != 2 or not all(word.isdigit() for word in words):  # "max" and -1 are no limit
        return None
    quota, period = map(int, words)
    return quota / period if period else None
