"""Where a model comes from: what a person or a profile names, before it is a file on this machine."""

from dataclasses import dataclass
from pathlib import Path

WHEEL = "wheel:"
MAIN = "main"
"""The revision of a repository that a name without one means."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file on this machine; whether it exists is seen when it is loaded."""

    path: Path


@dataclass(frozen=True, slots=True)
class WheelFile:
    """A file inside an installed Python package, written `wheel:PACKAGE/FILE`."""

    package: str
    name: str


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model in a repository of the hub, `USER/REPO`: one file of it, or one quantisation, or the usual one."""

    repo: str
    revision: str = MAIN
    file: str | None = None
    quant: str | None = None


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A word that no path and no repository has: the name of a profile, or one that `specchat list` prints."""

    name: str


ModelSource = LocalFile | WheelFile | HubModel | NamedModel


def spelled(source: ModelSource) -> str:
    """What to type for `source`; without its revision, which only a URL can say."""
    match source:
        case LocalFile(path):
            return str(path)
        case WheelFile(package, name):
            return f"{WHEEL}{package}/{name}"
        case HubModel(repo, _, file, quant):
            return f"{repo}/{file}" if file else f"{repo}:{quant}" if quant else repo
        case NamedModel(name):
            return name
