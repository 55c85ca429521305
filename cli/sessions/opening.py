"""Opening the file of a session, and having it alone."""

import os

from specchat.speculative.errors import UsageError

from .disk import make_folder, open_existing, open_new, write_all
from .errors import unknown_session
from .lines import Header, header_line
from .lock import is_still_at, take_lock
from .names import is_name
from .place import Place


def begin(place: Place, header: Header) -> int:
    """Make the file of a session, lock it and write its header. Raises `OSError`; there is no such file then."""
    make_folder(place.folder)
    handle = open_new(place.file)
    try:
        take_lock(handle)
        place.partial.unlink(missing_ok=True)  # of another chat, whose file somebody removed
        write_all(handle, header_line(header))
    except BaseException:
        os.close(handle)
        place.file.unlink(missing_ok=True)
        raise
    return handle


def reopen(place: Place) -> tuple[int | None, OSError | None]:
    """The locked file of a session, or why it cannot be written.

    Raises `UsageError` when there is none of that name, or another process has it.
    """
    if not is_name(place.name):
        raise unknown_session(place.name)
    try:
        handle = open_existing(place.file)
    except OSError as error:
        return None, error
    if take_lock(handle) and is_still_at(handle, place.file):
        return handle, None
    os.close(handle)
    if not place.file.exists():
        raise unknown_session(place.name)
    raise UsageError(f"{place.name} is open in another chat.", "Leave that one first, or start a new one.")
