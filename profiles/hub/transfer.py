"""One file of the hub onto the disk, under the lock that every tool which shares the cache takes."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from specchat.speculative.errors import SpecchatError

from ..errors import FetchError
from .access import explain
from .client import Hub
from .layout import Place
from .partial import Partial
from .patience import Attempts
from .progress import Meter
from .ranges import open_range

_TICK = 0.5
"""Seconds between looks at what another process has fetched."""
_KEPT = "What has arrived is kept: the same command goes on from there."


def bring(hub: Hub, place: Place, meter: Meter) -> None:
    """Fetch the file of `place` unless it is there, verify it and give it its names.

    Raises `FetchError`, `AccessError` and, from the disk, `OSError`.
    """
    if place.has_pointer:
        return
    place.blob.parent.mkdir(parents=True, exist_ok=True)
    with _lock(place, meter):
        if not place.has_blob:
            _clear(place)
            _fetch(hub, place, meter)
        meter.at(place.file.size)
        if not place.has_pointer:
            place.link()


@contextmanager
def _lock(place: Place, meter: Meter) -> Iterator[None]:
    """Hold the lock of the blob; while another process has it, tell how far that one is."""
    from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]

    place.lock.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        while not _entered(held, WeakFileLock(place.lock, timeout=_TICK)):
            meter.at(place.arrived)
        yield


def _entered(held: ExitStack, lock: object) -> bool:
    try:
        held.enter_context(lock)  # type: ignore[arg-type]
    except TimeoutError:
        return False
    return True


def _clear(place: Place) -> None:
    """Remove what killed downloads left: who writes there holds a lock, and these locks are free."""
    from huggingface_hub.utils import WeakFileLock  # type: ignore[attr-defined]

    for orphan in place.orphans:
        orphan.unlink(missing_ok=True)
    for orphan, lock in place.outdated:
        with suppress(TimeoutError), WeakFileLock(lock, timeout=0.01):
            orphan.unlink(missing_ok=True)


def _fetch(hub: Hub, place: Place, meter: Meter) -> None:
    from httpx2 import HTTPError

    file, attempts = place.file, Attempts(hub.patience)
    with Partial.resume(file, place.partial) as partial:
        meter.at(partial.done)
        while partial.done < file.size:
            before = partial.done
            try:
                _fetch_piece(hub, partial, meter)
            except HTTPError as error:
                if partial.done > before:
                    attempts.progressed()
                if not attempts.again(error):
                    raise _given_up(explain(error, hub, file.repo, file.path), partial) from error
        partial.finish(place.blob)


def _fetch_piece(hub: Hub, partial: Partial, meter: Meter) -> None:
    """As much as one request brings. Raises what `open_range` does."""
    from httpx2 import RemoteProtocolError

    stop = min(partial.done + hub.patience.piece, partial.file.size)
    with open_range(hub, partial.file, partial.done, stop) as reply:
        if reply.offset < partial.done:  # this server knows no ranges
            partial.start_over()
            meter.at(0)
        for block in reply.blocks:
            partial.add(block)
            meter.at(partial.done)
    if partial.done < stop:
        raise RemoteProtocolError("the connection ended early")


def _given_up(error: SpecchatError, partial: Partial) -> SpecchatError:
    """`error`, with what becomes of the part that is here."""
    if isinstance(error, FetchError) and partial.done:
        return FetchError(error.message, f"{error.hint} {_KEPT}")
    return error
