"""Whether files are still what they were fetched as."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from specchat.speculative.model_file import open_quietly

_CHUNK = 1 << 20
_GIT = "git-sha1"
"""How git names what it keeps: SHA-1 over a heading with the length, and the content."""


def actual_sum(file: Path, algorithm: str, advanced: Callable[[int], None]) -> str:
    """What a file hashes to, as `algorithm:digits`; `advanced` is told of each number of bytes. Raises `OSError`."""
    with open_quietly(file) as stream:
        if algorithm == _GIT:
            size = stream.seek(0, 2)
            stream.seek(0)
            hashed = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        else:
            hashed = hashlib.new(algorithm)
        while chunk := stream.read(_CHUNK):
            hashed.update(chunk)
            advanced(len(chunk))
    return f"{algorithm}:{hashed.hexdigest()}"


def is_intact(file: Path, expected: str, advanced: Callable[[int], None]) -> bool:
    """Whether `file` hashes to the sum that a store has of it."""
    return actual_sum(file, expected.partition(":")[0], advanced) == expected
