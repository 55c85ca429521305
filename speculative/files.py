"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path`, readable by its owner only; whoever looks sees the old file or the new one.

    Raises `OSError`; nothing is left behind then.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)  # noqa: PTH105 - the temporary name is no Path
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
