"""Files that are written whole or not at all."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

_NAMELESS: int = getattr(os, "O_TMPFILE", 0)  # of Linux alone


def write_whole(path: Path, content: bytes, *, private: bool = True) -> None:
    """Write `content` to `path`; whoever looks sees the old file or the new one.

    A `private` file is readable by its owner only, and its folders are made where they are missing. Another is a file
    of the person's own: its permissions are those of the file that it replaces, else those of any new file, a link
    stays one, and its folder has to be there. Raises `OSError`; nothing is left behind then.
    """
    if private:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    else:
        path = path.resolve()
    temporary = _beside(path)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if not private and path.exists():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_pieces(path: Path, pieces: Iterable[bytes | memoryview], *, nameless: bool = bool(_NAMELESS)) -> None:
    """The same for a private file that is too large to be copied in the memory.

    Where the system can, the file is `nameless` before it is whole, and a process that is killed leaves nothing behind.
    Raises `OSError`, and what `pieces` raises.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = _beside(path)
    handle, named = _opened(temporary, nameless)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            if not named:
                _name(file.fileno(), temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _beside(path: Path) -> Path:
    """Where to write what is to be at `path`."""
    # a long name that just fits has no room for more around it
    return path.with_name(f".{path.name[:40]}.{token_hex(4)}")


def _opened(temporary: Path, nameless: bool) -> tuple[int, bool]:
    """A new file for writing, and whether it has its name already. Raises `OSError`."""
    if nameless and Path("/proc/self/fd").is_dir():
        with suppress(OSError):  # not all file systems can
            return os.open(temporary.parent, os.O_WRONLY | _NAMELESS, 0o600), False
    return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), True


def _name(handle: int, path: Path) -> None:
    """Give a nameless file its name. Raises `OSError`."""
    # with a folder given, though the path is absolute, Python follows the link to the open file
    os.link(f"/proc/self/fd/{handle}", path, src_dir_fd=handle, follow_symlinks=True)
