"""Sizes, numbers and dates, as people read them."""

from datetime import datetime, timezone


def file_size(size: int) -> str:
    """A number of bytes, in the decimal units that the hub and other tools count files in."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} B"


def counted(number: int, noun: str) -> str:
    """A number of things, which `noun` is one of."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def day(seconds: float) -> str:
    """The day of a time since 1970, where we are."""
    return moment(seconds).astimezone().date().isoformat()


def moment(seconds: float) -> datetime:
    """A time since 1970."""
    return datetime.fromtimestamp(seconds, timezone.utc)
