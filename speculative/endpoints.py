"""Where servers listen that compute for this machine: HOST:PORT."""

from collections.abc import Sequence

from .errors import UsageError

DEFAULT_PORT = 50052
"""Where llama.cpp's own server listens unless it is told otherwise."""
_MOST = 16  # GGML_RPC_MAX_SERVERS
_HINT = f"Write HOST:PORT, as in --rpc 192.168.0.7:{DEFAULT_PORT}; several with commas between them."


def check_endpoints(endpoints: Sequence[str]) -> None:
    """Raise `UsageError` for what is none, for one that is named twice, and for too many."""
    for place, endpoint in enumerate(endpoints):
        split_endpoint(endpoint)
        if endpoint in endpoints[:place]:
            raise UsageError(f"The server {endpoint} is named twice.", "Name each once.")
    if len(endpoints) > _MOST:
        raise UsageError(f"{len(endpoints)} servers are more than llama.cpp takes.", f"Name at most {_MOST}.")


def split_endpoint(endpoint: str) -> tuple[str, int]:
    """Host and port. Raises `UsageError` for anything else; llama.cpp speaks to names and to addresses of IPv4."""
    host, _, port = endpoint.rpartition(":")
    if ":" in host:
        raise UsageError(f"{endpoint!r} is an address of IPv6, which llama.cpp's servers do not speak.", _HINT)
    if not host or not host.isprintable() or " " in host or not (port.isascii() and port.isdecimal()):
        raise UsageError(f"{endpoint!r} does not say where a server listens.", _HINT)
    if not 1 <= int(port) <= 65535:
        raise UsageError(f"{endpoint}: there is no port {int(port)}.", "Give one from 1 to 65535.")
    return host, int(port)
