"""What sessions may be called, so that their files may be called that on any system."""

import os
import re
import unicodedata
from collections.abc import Iterator
from datetime import datetime
from itertools import count

from specchat.speculative.errors import UsageError

_NAME = re.compile(r"[^\W_][\w.-]*")
_TAKEN_BY_WINDOWS = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
_MOST_BYTES = 200
"""File systems take names of 255, endings included."""
_MOST_LETTERS = 24


def is_name(name: str) -> bool:
    """Whether a session may be called so."""
    if not _NAME.fullmatch(name) or _TAKEN_BY_WINDOWS.fullmatch(name):
        return False
    try:
        return len(os.fsencode(name)) <= _MOST_BYTES
    except UnicodeEncodeError:  # the names of files are not UTF-8 here
        return False


def check_name(name: str) -> None:
    """Raise `UsageError` for what no session may be called."""
    if not is_name(name):
        hint = "Write a short word of letters, digits, dots, - and _ that starts with a letter or a digit."
        raise UsageError(f"{name!r} cannot be the name of a session.", hint)


def names_for(started: datetime, first: str) -> Iterator[str]:
    """Names for a chat that started then with the words `first`, the best one first; there is always one more."""
    moment = f"{started:%Y-%m-%d-%H%M}"
    name = f"{moment}-{_words(first)}"
    name = name if is_name(name) and _words(first) else moment
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _words(text: str) -> str:
    """The first words of a text, with hyphens between them; whole words where they are not too long."""
    kept = unicodedata.normalize("NFC", text[: 4 * _MOST_LETTERS]).lower()
    words = re.findall(r"[^\W_]+", kept)
    slug = words[0] if words else ""
    for word in words[1:]:
        if len(slug) + 1 + len(word) > _MOST_LETTERS:
            break
        slug += f"-{word}"
    return slug[:_MOST_LETTERS]
