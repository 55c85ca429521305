"""Servers on this machine, in processes of their own, and what is asked of them."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from specchat.speculative.llama.backend import build_info

COMMAND = (sys.executable, "-m", "specchat.cli.main")
REQUIRE = "SPECCHAT_REQUIRE_RPC"
_DELAY = Path(__file__).with_name("delay.py")
_PATIENCE = 30


def has_rpc() -> bool:
    """Whether llama.cpp was built with it; where it has to be, nothing is skipped."""
    return os.environ.get(REQUIRE) == "1" or "RPC" in (build_info().backends or ())


needs_rpc = pytest.mark.skipif(not has_rpc(), reason="llama.cpp was built without RPC")


@dataclass
class Server:
    """What listens at a port of the loopback device; it may be killed and started again."""

    port: int
    command: Sequence[str]
    process: "subprocess.Popen[str] | None" = None

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + _PATIENCE
        while not is_open(self.port):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.communicate()

    def signal(self, number: int) -> None:
        assert self.process
        self.process.send_signal(number)


@contextmanager
def serving() -> Iterator[Server]:
    """`specchat rpc-server`."""
    port = free_port()
    with _running(Server(port, [*COMMAND, "rpc-server", "-p", str(port), "-t", "1"])) as server:
        yield server


@contextmanager
def delayed(port: int, seconds: float) -> Iterator[str]:
    """An endpoint that leads to this port, on a way that takes so long."""
    listen = free_port()
    with _running(Server(listen, [sys.executable, str(_DELAY), str(listen), str(port), str(seconds)])) as server:
        yield server.endpoint


@contextmanager
def _running(server: Server) -> Iterator[Server]:
    try:
        server.start()
        yield server
    finally:
        server.stop()


def free_port() -> int:
    """One at which nobody listens now."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        port: int = asked.getsockname()[1]
        return port


def is_open(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
