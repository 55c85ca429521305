"""Paths as people write them."""

from pathlib import Path

from specchat.speculative.errors import UsageError


def expanded(text: str) -> Path:
    """The path that `text` means; a leading `~` is a home folder. Raises `UsageError` where there is no such folder."""
    try:
        return Path(text).expanduser()
    except (RuntimeError, ValueError) as error:
        raise UsageError(f"{text} starts at a home folder that is not known.", "Write the whole path.") from error


def exists(path: Path) -> bool:
    """Whether there is something, as far as one may look: a name may be too long, or have a NUL in it."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """The same of a file."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
