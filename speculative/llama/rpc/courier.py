"""Calls of llama.cpp that wait for other machines, made so that one that is lost is an error.

llama.cpp aborts the process where a connection breaks, in whatever thread notices it, and waits for an answer without
end. So these calls are made in a thread of their own; where llama.cpp would abort, its thread is kept from coming back,
and whoever waits is told. What the call was about cannot be used any more, nor freed.
"""

import functools
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from queue import SimpleQueue
from typing import Any, NoReturn, TypeVar

from ...devices import Device
from ...errors import ServerError
from ...interrupt import Interrupt
from ..ggml import ABORT_CALLBACK, all_devices, named_devices, on_abort
from .connections import unreachable

Result = TypeVar("Result")

ANSWERING = 5.0
"""Seconds in which a server has to answer where that is no matter of computing."""
_GLANCE = 0.2
"""Seconds between two looks at whether the user has lost patience."""
_PATIENCE = 10.0
"""Seconds that what was interrupted may go on: between two passes is soon enough."""
_AGAIN = "Look after specchat rpc-server there, then start again; a chat that is kept goes on with -C."
_SILENCE = "no answer"
_OURS = b"ggml-rpc"
"""In the place that llama.cpp names in a message, where a connection is what it is about."""


class Courier:
    """Makes calls in a thread of its own. One for the process, because llama.cpp has one way to abort: see `courier`.

    `lost` is why nothing can be asked of the `endpoints` any more, as llama.cpp or we put it; None while all is well.
    """

    def __init__(self) -> None:
        self.endpoints: tuple[str, ...] = ()
        self.lost: str | None = None
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._waiting: Future[Any] = Future()
        self._callback = ABORT_CALLBACK(self._aborted)
        on_abort(self._callback)
        threading.Thread(target=self._work, name="rpc", daemon=True).start()

    def run(self, job: Callable[[], Result], interrupt: Interrupt, within: float = inf) -> Result:
        """What `job` returns or raises.

        Raises `ServerError` where a server is lost, where nothing comes back `within` so many seconds, or in
        `_PATIENCE` after the `interrupt` was requested; and from then on at once.
        """
        future: Future[Result] = Future()
        if self.lost is None:
            self._waiting = future
            self._jobs.put((future, job))
        deadline, patience = time.monotonic() + within, inf
        while self.lost is None:
            try:
                return future.result(_GLANCE)
            except NotYet:
                now = time.monotonic()
            if interrupt.requested:
                patience = min(patience, now + _PATIENCE)
            if now > min(deadline, patience):
                self.lost = _SILENCE
        raise self._error()

    def _error(self) -> ServerError:
        gone = unreachable(self.endpoints) or self.endpoints
        names, verb = " and ".join(gone), "does" if len(gone) == 1 else "do"
        if self.lost == _SILENCE:
            return ServerError(f"{names} {verb} not answer any more.", _AGAIN)
        return ServerError(f"The connection to {names} broke in the middle of the work.", _AGAIN)

    def _work(self) -> NoReturn:
        while True:
            future, job = self._jobs.get()
            with suppress(InvalidStateError):  # it was given up meanwhile
                try:
                    future.set_result(job())
                except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
                    future.set_exception(error)

    def _aborted(self, message: bytes) -> None:
        """Called by llama.cpp, which aborts the process once this is back."""
        text = message.decode(errors="replace")
        if _OURS not in message or threading.current_thread() is threading.main_thread():
            sys.stderr.write(f"{text}\n")
            return
        self.lost = text
        with suppress(InvalidStateError):
            self._waiting.set_exception(NotYet())
        while True:
            time.sleep(3600)


@functools.cache
def courier() -> Courier:
    """The one courier of this process, at work from the first call on."""
    return Courier()


def asked_devices() -> tuple[Device, ...]:
    """All devices with their memory, for which connected servers are asked. Raises `ServerError` if one is lost."""
    if any(device.is_remote for device in named_devices()):
        return courier().run(all_devices, Interrupt(), within=ANSWERING)
    return all_devices()


@dataclass(frozen=True, slots=True)
class RemoteCall:
    """A `Call` in which other machines take part. Raises `ServerError`, as `Courier.run` does."""

    interrupt: Interrupt

    def __call__(self, function: Callable[..., Result], *arguments: object) -> Result:
        """What it returns."""
        return courier().run(functools.partial(function, *arguments), self.interrupt)
