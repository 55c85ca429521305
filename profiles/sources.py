"""Where a model comes from: written in a profile, and turned into a file on this machine."""

from dataclasses import dataclass
from pathlib import Path

from .embedded import embedded_file
from .errors import ProfileError
from .paths import expanded

WHEEL = "wheel:"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file on this machine; whether it exists is seen when it is loaded."""

    path: Path


@dataclass(frozen=True, slots=True)
class WheelFile:
    """A file inside an installed Python package, written `wheel:PACKAGE/FILE`."""

    package: str
    name: str


ModelSource = LocalFile | WheelFile


def parse_source(text: str, folder: Path) -> ModelSource:
    """Read a model reference; a relative path starts at `folder`, a leading `~` is the home folder.

    Raises `ProfileError` for a reference that cannot mean a file, `UsageError` for an unknown home folder.
    """
    if not text.startswith(WHEEL):
        return LocalFile(folder / expanded(text))
    package, _, name = text.removeprefix(WHEEL).partition("/")
    if not package.isidentifier() or not name or ".." in Path(name).parts:
        raise ProfileError(f"{text} names no file in a package.", f"Write {WHEEL}PACKAGE/FILE.gguf.")
    return WheelFile(package, name)


def model_path(source: ModelSource) -> Path:
    """The file that `source` stands for. Raises `ProfileError` when it has to be installed first."""
    match source:
        case LocalFile(path):
            return path
        case WheelFile(package, name):
            return embedded_file(package, name)
