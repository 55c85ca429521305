"""How long to wait for the hub, and how often to ask again."""

import time
from collections.abc import Callable
from dataclasses import dataclass

_AGAIN = (408, 416, 425, 429, 500, 502, 503, 504)
"""Answers that may be better next time."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds of silence before a connection counts as dead, and attempts in a row that may bring nothing new."""

    stall: float = 30.0
    attempts: int = 6
    longest: float = 60.0
    """The longest pause in seconds that the hub may ask for."""
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


def _pause(error: Exception, failed: int) -> float | None:
    """Seconds to wait: what the hub asks for, else longer each time; None where waiting does not help."""
    from httpx2 import TransportError, UnsupportedProtocol
    from huggingface_hub.errors import HfHubHTTPError

    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        expired = status == 403 and error.response.history  # the address that the hub signed for its CDN
        if status not in _AGAIN and not expired:
            return None
        asked = error.response.headers.get("Retry-After", "")
        if asked.isdecimal():
            return float(asked)
    elif not isinstance(error, TransportError) or isinstance(error, UnsupportedProtocol):
        return None
    return 2.0**failed
