"""Files that are written whole or not at all."""

import os
import stat
from pathlib import Path
from secrets import token_hex


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
    # a long name that just fits has no room for more around it
    temporary = path.with_name(f".{path.name[:40]}.{token_hex(4)}")
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
