"""Why the hub cannot be reached: the network, a proxy, a mirror, or something else that answers in its place."""

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..errors import FetchError
from .settings import PUBLIC_HUB

if TYPE_CHECKING:
    from .client import Hub

_LOCAL = "What is on this machine needs no network: --offline."


def no_answer(error: Exception, hub: "Hub") -> FetchError:
    """What a connection means that failed."""
    from httpx2 import ConnectError, ProxyError, TimeoutException

    if isinstance(error, TimeoutException):
        return FetchError(f"{hub.name} was silent for {hub.patience.stall:.0f} seconds.", _way(hub))
    if isinstance(error, ProxyError) or (isinstance(error, ConnectError) and hub.proxy):
        named = f"that {hub.proxy} names" if hub.proxy else "of this system"
        return FetchError(
            f"The proxy {named} does not lead to {hub.name}: {_reason(error)}.",
            f"Correct {hub.proxy or 'it'}, or except the hub from it with NO_PROXY={urlsplit(hub.endpoint).hostname}.",
        )
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return FetchError(
            f"{hub.name} shows a certificate that this machine does not trust.",
            "Behind a company's proxy set SSL_CERT_FILE to the file with its certificate.",
        )
    return FetchError(f"{hub.name} cannot be reached: {_reason(error)}.", _way(hub))


def no_hub(hub: "Hub") -> FetchError:
    """What an answer means that no hub gives."""
    return FetchError(
        f"{hub.name} does not answer as a hub does.",
        _mirror(hub) if hub.is_mirror else "Does this network want you to log in, in a browser?",
    )


def _way(hub: "Hub") -> str:
    return _mirror(hub) if hub.is_mirror else f"Check the network. {_LOCAL}"


def _mirror(hub: "Hub") -> str:
    return f"HF_ENDPOINT names this hub; without it {PUBLIC_HUB} is asked. {_LOCAL}"


def _reason(error: Exception) -> str:
    """The system's words, without its number."""
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error)).strip().rstrip(".") or type(error).__name__
