"""How much room the disks have on which models and chats are kept."""

from collections.abc import Callable, Mapping
from pathlib import Path

from specchat.profiles.hub.disk import free_room

from ..display.quantities import file_size
from .rows import Row

_SMALLEST = 10**9
"""Bytes: hardly any model takes less."""


def disk_rows(folders: Mapping[str, Path], free: Callable[[Path], int | None] = free_room) -> list[Row]:
    """A row for each of the `folders`, by what goes there; the one for models has to have room for one."""
    return [_row(what, folder, free(folder)) for what, folder in folders.items()]


def _row(what: str, folder: Path, free: int | None) -> Row:
    full = free is not None and free < _SMALLEST and what == "models"
    room = "unknown" if free is None else file_size(free)
    return Row(
        name=f"free for {what}",
        value=f"{room}, in {folder}{': no model fits' if full else ''}",
        advice="specchat rm NAME  # a name that specchat list shows; or name another disk in HF_HUB_CACHE"
        if full
        else "",
        wrong=full,
        figures={"path": str(folder), "free_bytes": free},
    )
