"""One process at a time in a session. The system lets go of the lock of a process that is no more."""

import os
import sys
from pathlib import Path

_FAR = 1 << 30
"""Where Windows locks: nobody can read what is locked there, so it is a byte that nobody writes."""

if sys.platform == "win32":
    import msvcrt

    def take_lock(handle: int) -> bool:
        """Lock an open file for as long as it is open; False when somebody else holds the lock."""
        try:
            os.lseek(handle, _FAR, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def take_lock(handle: int) -> bool:
        """Lock an open file for as long as it is open; False when somebody else holds the lock."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # some network file systems know no locks, which is no reason not to chat
            return True
        return True


def is_still_at(handle: int, path: Path) -> bool:
    """Whether an open file still is the one at `path`: it may have been removed before it was locked."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
