"""Ctrl-C and closed pipes: an answer that is under way is stopped, everything else dies of the signal itself."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from specchat.speculative.errors import SpecchatError
from specchat.speculative.interrupt import Interrupt


class Stopped(Exception):
    """The user stopped the command; it has said what it had to say, save for its cause, and now dies of the signal."""


@contextmanager
def stopping(interrupt: Interrupt) -> Iterator[None]:
    """Ctrl-C requests the interrupt while this lasts; a second one kills. What was requested before is forgotten."""

    def request(_signum: int, _frame: FrameType | None) -> None:
        interrupt.request()
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    interrupt.clear()
    with _handling(request):
        yield


@contextmanager
def ending(interrupt: Interrupt) -> Iterator[None]:
    """The same for what ends a command: Ctrl-C is heeded at the end of it, if not before."""
    with heeding(interrupt), stopping(interrupt):
        yield


@contextmanager
def heeding(interrupt: Interrupt) -> Iterator[None]:
    """A Ctrl-C that came too late to stop anything raises `Stopped`; an error that came after it is its cause.

    A shell that got it too goes on with its loop where we end as if there had been none.
    """
    try:
        yield
    except SpecchatError as error:
        if interrupt.requested:
            raise Stopped from error
        raise
    if interrupt.requested:
        raise Stopped


@contextmanager
def ignoring() -> Iterator[None]:
    """Ctrl-C does nothing while this lasts, where nothing else is said inside it."""
    with _handling(lambda _signum, _frame: None):
        yield


@contextmanager
def raising() -> Iterator[None]:
    """Ctrl-C raises `KeyboardInterrupt` while this lasts."""
    with _handling(signal.default_int_handler):
        yield


@contextmanager
def _handling(handler: "signal._HANDLER") -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def die_of(number: int) -> NoReturn:
    """End this process by a signal, so that whoever started it sees what happened; a shell ends its loop."""
    if os.name != "nt":
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    raise SystemExit(128 + number)
