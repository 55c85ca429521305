"""How whoever waits is told of it."""

from collections.abc import Callable
from pathlib import Path

Progress = Callable[[str], None]
"""Told what is being done, and how far that is; an empty text where that is over."""


def loading_progress(path: Path, progress: Progress) -> Callable[[float], None]:
    """What to call with the share of a file that is loaded, 0 to 1."""
    return lambda share: progress(f"loading {share:.0%} {path.name}")
