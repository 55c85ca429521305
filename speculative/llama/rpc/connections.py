"""Connections to other machines, as the system knows them."""

import os
import socket
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ...endpoints import split_endpoint

_SOON = 1.0
"""Seconds in which a machine answers that is there."""
_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPALIVE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}
"""By their names in `socket`, of which each system has some: seconds of silence, between questions, and how many."""


def unreachable(endpoints: Sequence[str]) -> tuple[str, ...]:
    """Those of the `endpoints` at which nobody listens any more, or whose machine is gone."""
    return tuple(endpoint for endpoint in endpoints if not _listens(endpoint))


def _listens(endpoint: str) -> bool:
    try:
        socket.create_connection(split_endpoint(endpoint), timeout=_SOON).close()
    except OSError:
        return False
    return True


def keep_alive(endpoints: Sequence[str]) -> None:
    """Let the system break the connections to these once their machines are gone without a word for half a minute.

    llama.cpp, which has opened them, waits for ever. Where the system does not say what is open, nothing changes.
    """
    peers = set()
    for endpoint in endpoints:
        host, port = split_endpoint(endpoint)
        with suppress(OSError):
            peers.add((socket.gethostbyname(host), port))
    for connection in _sockets() if peers else ():
        with connection, suppress(OSError):
            if connection.family == socket.AF_INET and connection.getpeername() in peers:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                for name, value in _KEEP_ALIVE.items():
                    if hasattr(socket, name):
                        connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _sockets() -> Iterator[socket.socket]:
    """The sockets of this process, each by a number of its own."""
    names: list[str] = []
    with suppress(OSError):
        names = os.listdir("/dev/fd")  # noqa: PTH208 - numbers and no paths
    for number in map(int, names):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                yield socket.socket(fileno=os.dup(number))
