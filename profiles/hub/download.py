"""Files of the hub into its own cache: resumed, verified, and shared with every other process and tool."""

from collections.abc import Sequence
from pathlib import Path

from .client import Hub
from .disk import disk_error, require_room
from .files import RemoteFile
from .layout import Place
from .progress import Meter, Progress
from .transfer import bring


def check_room(hub: Hub, files: Sequence[RemoteFile]) -> None:
    """Raise `FetchError` unless the disk takes what is missing of `files`."""
    try:
        require_room(hub.cache, outstanding(hub, files))
    except OSError as error:
        raise disk_error(error, hub.cache) from error


def outstanding(hub: Hub, files: Sequence[RemoteFile]) -> int:
    """The bytes of `files` that are still to come."""
    return sum(place.file.size - place.arrived for place in _places(hub, files))


def download(hub: Hub, files: Sequence[RemoteFile], watch: Progress) -> list[Path]:
    """Fetch what is missing of `files`; returns their paths in the snapshots, in the same order.

    Raises `FetchError` (network, disk, checksum), `AccessError`, and `ModelLoadError` where the hub may not be asked.
    """
    places = _places(hub, files)
    arrived = [place.arrived for place in places]
    total = sum(place.file.size for place in places)
    missing = [place for place in places if not place.is_whole]
    if missing:
        hub.require_online(f"{missing[0].file.repo}/{missing[0].file.path}")
    try:
        require_room(hub.cache, total - sum(arrived))
        watch.started(total, sum(arrived))
        for place, done in zip(places, arrived, strict=True):
            bring(hub, place, Meter(watch, done))
        for place in places:  # till then the branch is at what was whole before, for those without a network
            place.name_branch()
    except OSError as error:
        raise disk_error(error, hub.cache) from error
    return [Place(hub.cache, file).pointer for file in files]


def _places(hub: Hub, files: Sequence[RemoteFile]) -> list[Place]:
    return list(dict.fromkeys(Place(hub.cache, file) for file in files))
