"""Files that a person names for what comes out."""

import os
from pathlib import Path

from specchat.profiles.paths import expanded
from specchat.speculative.errors import UsageError
from specchat.speculative.files import write_whole

from ..display.screen import one_line


def output_path(name: str) -> Path:
    """The file called `name`, which can be written as far as one can see. Raises `UsageError`; changes nothing."""
    path = expanded(name)
    try:
        _check(path, one_line(name))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{one_line(name)} cannot be written: {reason}.", "Give another path.") from error
    return path


def write_answer(path: Path, text: str) -> None:
    """Write `text` to a file of the person's, whole or not at all. Raises `OSError`."""
    write_whole(path, text.encode("utf-8", "backslashreplace"), private=False)


def _check(path: Path, name: str) -> None:
    found = path.exists()  # raises where it cannot be known
    if path.is_dir():
        raise UsageError(f"{name} is a folder.", f"Name a file in it: -o {path / 'answer.txt'}")
    if found and not path.is_file():
        raise UsageError(f"{name} is no regular file, so it cannot be replaced.", f"Let the shell write it: > {name}")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} for {name}.", f"Make it first: mkdir -p {path.parent}")
    for place in (path, folder) if found else (folder,):
        if not os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise UsageError(f"{place} may not be written by you.", "Give another path, or change its permissions.")
