"""What Linux tells of itself in files."""

from pathlib import Path


def text_of(file: Path) -> str:
    """What it says, without space around it; nothing where there is no such file."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
