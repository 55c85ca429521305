"""Computing for other machines: llama.cpp's own server, over the devices of this one."""

import ctypes
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...devices import Device, by_names, taking_layers
from ...endpoints import split_endpoint
from ...errors import ServerError
from ..backend import start_backend
from ..ggml import all_devices, device_pointers, procedure
from ..threads import default_threads
from .servers import without_rpc


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What to serve: the `devices` at these places among all, at an address of IPv4.

    Weights that were sent once are kept in the folder `kept`, if there is one.
    """

    address: str
    port: int
    places: tuple[int, ...]
    devices: tuple[Device, ...]
    threads: int | None = None
    kept: Path | None = None

    def run(self) -> None:
        """Serve one program after the other, until a signal ends the process. Raises `ServerError` if it cannot."""
        function = _start_server()
        _silence_stdout()  # what llama.cpp prints of each connection says nothing
        pointers = [device_pointers()[place] for place in self.places]
        function(
            f"{self.address}:{self.port}".encode(),
            os.fsencode(self.kept) if self.kept else None,
            self.threads or default_threads(),
            len(pointers),
            (ctypes.c_void_p * len(pointers))(*pointers),
        )
        raise ServerError(f"llama.cpp cannot listen at {self.address}:{self.port} any more.")


def server(
    host: str, port: int, names: Sequence[str] = (), threads: int | None = None, kept: Path | None = None
) -> Server:
    """A server of the devices with these `names`; without any, of those that models are put on, or else of the CPU.

    Raises `ServerError` for a build without it, and where nothing can listen; `UsageError` for an unknown device.
    """
    start_backend()
    _start_server()
    there = all_devices()
    chosen = by_names(names, there) if names else taking_layers(there) or [each for each in there if each.kind == "CPU"]
    return Server(
        address=_free(host, port),
        port=port,
        places=tuple(map(there.index, chosen)),
        devices=tuple(chosen),
        threads=threads,
        kept=kept,
    )


def _free(host: str, port: int) -> str:
    """The address of a host, at which a port is free. Raises `ServerError` where none is, `UsageError` for no place."""
    split_endpoint(f"{host}:{port}")
    try:
        address = socket.gethostbyname(host)
        with socket.socket() as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind((address, port))
    except OSError as error:
        raise ServerError(
            f"Nothing can listen at {host}:{port}: {error.strerror or error}.",
            "--host takes an address of this machine, --port one that nobody uses.",
        ) from error
    return address


def _silence_stdout() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


def _start_server() -> "ctypes._FuncPointer":
    address = procedure("RPC", "ggml_backend_rpc_start_server")
    if address is None:
        raise without_rpc()
    sizes = ctypes.c_size_t, ctypes.c_size_t
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, *sizes, ctypes.c_void_p)(address)
