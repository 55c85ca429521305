"""Room on the disk, and what it means when there is none."""

import errno
import shutil
from pathlib import Path

from ..errors import FetchError

_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EFBIG)
_ELSEWHERE = "or name a folder on another disk in HF_HUB_CACHE"


def require_room(folder: Path, needed: int) -> None:
    """Raise `FetchError` unless the disk of `folder`, which need not exist yet, takes `needed` bytes more."""
    free = free_room(folder)
    if free is not None and needed > free:
        raise FetchError(
            f"There is no room: {size_text(needed)} are to come, and {folder} has {size_text(free)} free.",
            f"Free {size_text(needed - free)}, {_ELSEWHERE}.",
        )


def free_room(folder: Path) -> int | None:
    """The bytes that the disk of `folder`, which need not exist yet, takes; None where the system does not say."""
    existing = next((each for each in (folder, *folder.parents) if each.is_dir()), None)
    usage = shutil.disk_usage(existing) if existing else None
    return usage.free if usage and usage.total else None


def disk_error(error: OSError, folder: Path) -> FetchError:
    """What it means that the hub's cache, in `folder`, could not be written."""
    if error.errno in _FULL:
        return FetchError(
            f"The disk with {folder} is full.",
            f"Make room, {_ELSEWHERE}. What has arrived is kept: the same command goes on from there.",
        )
    where = error.filename or folder
    return FetchError(f"{where} cannot be written: {error.strerror or error}.", "Another folder: HF_HUB_CACHE.")


def size_text(count: int) -> str:
    """A number of bytes, as people and hubs count them: in thousands."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"
