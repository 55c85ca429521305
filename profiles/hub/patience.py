"""How long to wait for the hub, how often to ask again, and for how much at once."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from httpx2 import Response

T = TypeVar("T")
_AGAIN = (408, 416, 425, 429, 500, 502, 503, 504)
"""Answers that may be better next time."""
_DIGITS = 10
"""Of a number of seconds that somebody means."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds of silence before a connection counts as dead, and attempts in a row that may bring nothing new."""

    stall: float = 30.0
    attempts: int = 6
    longest: float = 60.0
    """The longest pause in seconds that the hub may ask for."""
    piece: int = 1 << 30
    """Bytes of one request: the hub's CDN sends nothing above 50 GB, and signs its addresses for some time only."""
    sleep: Callable[[float], None] = time.sleep


@dataclass(slots=True)
class Attempts:
    """Counts the attempts at one thing."""

    patience: Patience
    failed: int = 0

    def progressed(self) -> None:
        """Something new came."""
        self.failed = 0

    def again(self, error: Exception) -> bool:
        """Whether to try once more after `error`; has waited when it says so."""
        pause = _pause(error, self.failed)
        self.failed += 1
        if pause is None or pause > self.patience.longest or self.failed >= self.patience.attempts:
            return False
        self.patience.sleep(pause)
        return True


def patiently(patience: Patience, action: Callable[[], T], hopeless: tuple[type[Exception], ...] = ()) -> T:
    """What `action` returns, tried again while that may help; not after a `hopeless` error. Raises the last one."""
    from httpx2 import HTTPError

    attempts = Attempts(patience)
    while True:
        try:
            return action()
        except HTTPError as error:  # noqa: PERF203 - the loop is that of the attempts
            if isinstance(error, hopeless) or not attempts.again(error):
                raise


def asked_pause(response: "Response") -> int | None:
    """The seconds that the hub asks everybody to wait who comes too often, None where it names none."""
    from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]

    limit = parse_ratelimit_headers(response.headers) if response.status_code == 429 else None
    if limit and limit.remaining == 0:
        return int(limit.reset_in_seconds)
    text = response.headers.get("Retry-After", "")
    return int(text) if text.isdecimal() and len(text) < _DIGITS else None


def _pause(error: Exception, failed: int) -> float | None:
    """Seconds to wait: what the hub asks for, else longer each time; None where waiting does not help."""
    from httpx2 import HTTPStatusError, TransportError, UnsupportedProtocol

    if isinstance(error, HTTPStatusError):
        response = error.response
        expired = response.status_code == 403 and response.history  # the address that the hub signed for its CDN
        if response.status_code not in _AGAIN and not expired:
            return None
        if (asked := asked_pause(response)) is not None:
            return asked
    elif not isinstance(error, TransportError) or isinstance(error, UnsupportedProtocol):
        return None
    return 2.0**failed
