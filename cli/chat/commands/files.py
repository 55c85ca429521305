"""The files that a person names behind a command, and what they ask of them."""

import glob
import os
import re
import shlex
from contextlib import suppress

from specchat.profiles.paths import expanded
from specchat.speculative.errors import UsageError

from ..line.completions import path_argument

MOST_FILES = 100
_QUESTION = re.compile(r"\s--(?:\s+|$)")
"""What stands between the files and the question."""


def files_in(argument: str) -> tuple[list[str], str]:
    """The paths and the question in `PATH… -- QUESTION`. Raises `UsageError` where no file, or too many, are named.

    A path has `*`, `?` and `[…]` for names of several files. A single one needs no quotation marks around its spaces.
    """
    named, question = (argument, "") if _is_file(argument) else _parted(argument)
    paths = list(dict.fromkeys(path for word in _words(named) for path in _matching(word)))
    if not paths:
        raise UsageError("No file is named.", "Write its path behind it: /file notes.txt -- What is missing?")
    if len(paths) > MOST_FILES:
        raise UsageError(f"{named} is {len(paths):,} files, more than {MOST_FILES}.", "Name fewer.")
    return paths, question


def _parted(argument: str) -> tuple[str, str]:
    named, *question = _QUESTION.split(f" {argument}", maxsplit=1)
    return named.strip(), "".join(question)


def _words(named: str) -> list[str]:
    """The paths one by one: several where some of them are there, and no file has all of it for its name."""
    words: list[str] = []
    if os.sep == "/" and not _is_file(named):
        with suppress(ValueError):
            words = shlex.split(named)
    several = len(words) > 1 and any(_is_file(word) or glob.has_magic(word) for word in words)
    return words if several else [path_argument(named)] if named else []


def _matching(path: str) -> list[str]:
    """The files that a path with `*` means; any other path as it is."""
    if _is_file(path) or not glob.has_magic(path):
        return [path]
    found = sorted(name for name in glob.glob(str(expanded(path))) if os.path.isfile(name))  # noqa: PTH113, PTH207
    if not found:
        raise UsageError(f"No file is called like {path}.", "Check the path.")
    return found


def _is_file(text: str) -> bool:
    with suppress(OSError, UsageError, ValueError):
        return expanded(path_argument(text)).is_file()
    return False
