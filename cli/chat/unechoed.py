"""Keys that are typed while an answer streams: they wait, and are not shown in the middle of it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..environment import Environment


@contextmanager
def unechoed(env: Environment) -> Iterator[None]:
    """The terminal does not echo while this lasts; what is typed is read afterwards. Nothing where there is none."""
    if not env.edits_lines():
        yield
        return
    try:
        import termios
    except ImportError:  # Windows echoes nothing that is not being read
        yield
        return
    handle = sys.stdin.fileno()
    if not _is_ours(handle):
        yield
        return
    before = termios.tcgetattr(handle)
    silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(handle, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        if _is_ours(handle):
            termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _is_ours(terminal: int) -> bool:
    """Whether we are in the foreground: a job in the background that changes its terminal is stopped."""
    return os.tcgetpgrp(terminal) == os.getpgrp()
