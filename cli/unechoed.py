"""Keys that are typed while an answer streams: they wait, and are not shown in the middle of it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from .environment import Environment


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
    before = termios.tcgetattr(handle)
    silent = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(handle, termios.TCSADRAIN, silent)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
