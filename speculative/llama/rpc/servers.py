"""Servers whose devices count as ours, once they are connected."""

import ctypes
import socket
from collections.abc import Callable, Sequence
from functools import partial

from ...endpoints import split_endpoint
from ...errors import NoServersError, ServerError
from ...interrupt import Interrupt
from ..backend import Backend
from ..ggml import procedure, register
from .courier import ANSWERING, courier

_START = "Start specchat rpc-server on that machine, and see that no firewall is between."
_SAME = "Both machines need the same version of llama-cpp-python: specchat doctor shows it."


def connect(endpoints: Sequence[str], backend: Backend, interrupt: Interrupt) -> None:
    """Let the devices of these servers be devices of llama.cpp, named RPC0 and so on, described by their endpoints.

    Raises `ServerError` for a build that cannot do that, and for a server that cannot be used.
    """
    add = _add_server()
    for endpoint in endpoints:
        if endpoint not in courier().endpoints:
            _knock(endpoint)
            _connect(endpoint, add, backend, interrupt)


def _knock(endpoint: str) -> None:
    """Raise `ServerError`, with what the system says, where nobody listens."""
    try:
        socket.create_connection(split_endpoint(endpoint), timeout=ANSWERING).close()
    except OSError as error:
        reason = "it does not answer" if isinstance(error, TimeoutError) else error.strerror or error
        raise ServerError(f"The server {endpoint} cannot be reached: {reason}.", _START) from error


def _connect(endpoint: str, add: Callable[[bytes], int | None], backend: Backend, interrupt: Interrupt) -> None:
    backend.take_complaint()
    try:
        server = courier().run(partial(add, endpoint.encode()), interrupt, within=ANSWERING)
    except ServerError as error:
        raise _refusal(endpoint, courier().lost or "", backend.take_complaint()) from error
    if not server:
        raise ServerError(f"The server {endpoint} has no device to compute on.", "Start it again.")
    register(server)
    courier().endpoints += (endpoint,)


def _add_server() -> "ctypes._FuncPointer":
    address = procedure("RPC", "ggml_backend_rpc_add_server")
    if address is None:
        raise without_rpc()
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_char_p)(address)


def without_rpc() -> NoServersError:
    """What to raise where llama.cpp was built without it."""
    return NoServersError(
        "This build of llama.cpp can neither use other machines nor be used by them.",
        "specchat doctor says how to build it with GGML_RPC.",
    )


def _refusal(endpoint: str, reason: str, complaint: str) -> ServerError:
    """What the reason for which llama.cpp gave up says of a server."""
    if "handshake failed" in reason:
        return ServerError(f"The server {endpoint} speaks another version of the protocol: {complaint}.", _SAME)
    if "crashed or returned malformed" in reason:
        return ServerError(
            f"What listens at {endpoint} is no server of llama.cpp, or one of quite another version.", _SAME
        )
    if "Failed to connect" in reason:
        return ServerError(f"The server {endpoint} refuses a second connection.", _START)
    return ServerError(
        f"What listens at {endpoint} does not answer: it is no server of llama.cpp, or it computes for somebody else.",
        "A server computes for one program at a time.",
    )
