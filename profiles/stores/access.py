"""What would open a folder that may not be read."""

import os
import shlex
import stat
from pathlib import Path

from .stored import Notice

_GROUP_MAY_ENTER = stat.S_IRGRP | stat.S_IXGRP


def closed_notice(store: str, folder: Path, error: OSError) -> Notice:
    """That `folder` of a store cannot be looked into, and the command that would change it."""
    if not isinstance(error, PermissionError):
        return Notice(f"{folder} ({store}) cannot be read: {error.strerror}.")
    closed = _closed(folder)
    return Notice(f"{folder} ({store}) may not be read: {closed} is closed to this account.", _remedy(closed))


def _closed(folder: Path) -> Path:
    """The outermost folder on the way that does not let us through."""
    hidden = [step for step in (folder, *folder.parents) if not os.path.exists(step)]  # noqa: PTH110 - raises nothing
    return hidden[-1].parent if hidden else folder


def _remedy(closed: Path) -> str:
    status = closed.stat()
    where = shlex.quote(str(closed))
    if not hasattr(os, "geteuid"):
        return "Give your account the right to read it."
    if status.st_uid == os.geteuid():
        return f"It is yours, so open it: chmod u+rwx {where}"
    if status.st_mode & _GROUP_MAY_ENTER == _GROUP_MAY_ENTER:
        return f"Its group may: sudo usermod -a -G {_group(closed)} $USER, then log out and in again."
    return f"To open it to you alone: sudo setfacl -R -m u:$USER:rX {where}"


def _group(folder: Path) -> str:
    try:
        return folder.group()
    except KeyError:  # a group without a name
        return str(folder.stat().st_gid)
