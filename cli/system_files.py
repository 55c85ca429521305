"""What files and folders of the system say; those that cannot be read say nothing, and nothing here raises."""

from pathlib import Path


def entries(folder: Path) -> list[Path]:
    """What is in a folder, by name."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def text_of(file: Path, limit: int = 4096) -> str:
    """What the first bytes of a file say."""
    try:
        with file.open("rb") as opened:
            return opened.read(limit).decode(errors="replace").strip()
    except OSError:
        return ""
