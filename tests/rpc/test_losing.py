"""Servers that are not there, are none, or go away: one sentence in bounded time, and what was said is kept."""

import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .servers import COMMAND, free_port, needs_rpc, serving

pytestmark = needs_rpc
BEGUN = 300


@pytest.fixture(scope="module")
def model(write_tiny_model) -> Path:
    path: Path = write_tiny_model(seed=3, n_ctx=100_000)  # it goes on for very long
    return path


@pytest.fixture
def server():
    with serving() as found:
        yield found


@pytest.fixture
def home(tmp_path) -> dict[str, str]:
    folders = {"XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}
    return {**os.environ, **{name: str(tmp_path / folder) for name, folder in folders.items()}}


def started(home: dict[str, str], *arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        bufsize=0,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=home,
    )


def answering(home: dict[str, str], model: Path, endpoint: str, *arguments: object) -> "subprocess.Popen[bytes]":
    """An answer that goes on for long, begun; its first bytes are read."""
    process = started(
        home, "run", "-t", 1, "-m", model, "-c", 50_000, "--rpc", endpoint, "--temp", 0, *arguments, "--", "Hi"
    )
    assert process.stdout is not None
    read = 0
    while read < BEGUN:
        piece = process.stdout.read(BEGUN)
        assert piece, ended(process)
        read += len(piece)
    return process


def ended(process: "subprocess.Popen[bytes]", seconds: float = 30) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out.decode(errors="replace"), err.decode()


def kept(home: dict[str, str]) -> str:
    """What the answer of the session holds."""
    export = [*COMMAND, "session", "export", "sea", "--format", "json"]
    session = json.loads(subprocess.run(export, env=home, capture_output=True, check=True).stdout)
    said: str = session["messages"][-1]["content"]
    return said


def goes_on(home: dict[str, str], endpoint: str) -> bool:
    """Whether the last chat can be gone on with."""
    return ended(started(home, "run", "-C", "-t", 1, "--rpc", endpoint, "-n", 5, "More"))[0] == 0


def told(model: Path, home: dict[str, str], endpoint: str) -> tuple[str, float]:
    """What is said of a server that cannot be used, and how long that takes."""
    began = time.monotonic()
    process = started(home, "run", "-t", 1, "-m", model, "--rpc", endpoint, "-n", 1, "Hi")
    code, out, err = ended(process)
    assert (code, out) == (1, "")
    assert err.count("\n") == 2, err
    return err, time.monotonic() - began


@contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Something that is no server: it does this with each connection."""
    with socket.create_server(("127.0.0.1", 0)) as asked:

        def serve() -> None:
            while True:
                try:
                    connection, _ = asked.accept()
                except OSError:
                    return
                with connection:
                    answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{asked.getsockname()[1]}"
        asked.shutdown(socket.SHUT_RDWR)


def test_nobody_listens(model, home):
    endpoint = f"127.0.0.1:{free_port()}"
    said, seconds = told(model, home, endpoint)
    assert f"error: The server {endpoint} cannot be reached: Connection refused." in said
    assert "specchat rpc-server" in said
    assert seconds < 10


def test_a_name_that_is_none(model, home):
    said, _ = told(model, home, "nowhere.invalid:50052")
    assert "The server nowhere.invalid:50052 cannot be reached" in said


def test_something_else_listens_and_says_something_else(model, home):
    with listening(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as endpoint:
        said, seconds = told(model, home, endpoint)
    assert f"What listens at {endpoint} is no server of llama.cpp" in said
    assert seconds < 10


def test_something_else_listens_and_says_nothing(model, home):
    with listening(lambda connection: time.sleep(60)) as endpoint:
        said, seconds = told(model, home, endpoint)
    assert f"What listens at {endpoint} does not answer" in said
    assert seconds < 20


def test_another_version_of_the_protocol(model, home):
    def hello(connection: socket.socket) -> None:
        (size,) = struct.unpack("<xQ", received(connection, 9))
        received(connection, size)
        connection.sendall(struct.pack("<QBBBx", 4 + size, 6, 1, 2) + bytes(size))
        connection.recv(1)

    def received(connection: socket.socket, size: int) -> bytes:
        data = b""
        while len(data) < size and (more := connection.recv(size - len(data))):
            data += more
        return data.ljust(size, b"\0")

    with listening(hello) as endpoint:
        said, _ = told(model, home, endpoint)
    assert f"The server {endpoint} speaks another version of the protocol: 6.1.2." in said
    assert "same version of llama-cpp-python" in said


def test_a_server_that_serves_somebody_else_is_not_waited_for(model, home, server):
    first = answering(home, model, server.endpoint)
    try:
        said, seconds = told(model, home, server.endpoint)
    finally:
        first.kill()
        first.communicate()
    assert "computes for somebody else" in said
    assert seconds < 20


@pytest.mark.parametrize("endpoint", ["nonsense", "host:", ":50052", "host:0", "host:65536", "host:1x", "::1:50052"])
def test_what_says_no_place_is_refused_at_once(model, home, endpoint):
    process = started(home, "run", "-m", model, "--rpc", endpoint, "Hi")
    code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert "hint: " in err


def test_a_server_killed_in_an_answer_ends_it_with_a_sentence_and_keeps_what_was_said(model, home, server):
    process = answering(home, model, server.endpoint, "--session", "sea")
    server.signal(signal.SIGKILL)
    code, out, err = ended(process)
    assert code == 1
    assert f"error: The connection to {server.endpoint} broke in the middle of the work." in err
    assert "ggml" not in err
    said = kept(home)
    assert len(said.encode()) >= BEGUN
    assert said.strip().endswith(out.strip())
    server.stop()
    server.start()
    assert goes_on(home, server.endpoint)


def test_a_server_that_falls_silent_does_not_outlast_ctrl_c_and_the_chat_goes_on_once_it_speaks(model, home, server):
    process = answering(home, model, server.endpoint, "--session", "sea")
    server.signal(signal.SIGSTOP)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process, 20)
    assert code == -signal.SIGINT
    assert f"error: {server.endpoint} does not answer any more." in err
    assert len(kept(home).encode()) >= BEGUN
    server.signal(signal.SIGCONT)
    assert goes_on(home, server.endpoint)


def test_a_second_ctrl_c_kills_at_once(model, home, server):
    process = answering(home, model, server.endpoint)
    server.signal(signal.SIGSTOP)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert ended(process, 5)[0] == -signal.SIGINT


def test_a_batch_ends_with_its_server_and_is_taken_up_again(model, home, server, tmp_path):
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("one\ntwo\nthree\n")
    results = tmp_path / "results.jsonl"
    process = started(
        home, "run", "-t", 1, "-m", model, "--rpc", server.endpoint, "--batch", prompts, "-o", results, "-n", 4000
    )
    while not results.exists() or not results.read_text():
        assert process.poll() is None
        time.sleep(0.05)
    server.signal(signal.SIGKILL)
    code, _, err = ended(process)
    assert (code, "broke in the middle" in err) == (1, True)
    assert all("error" not in json.loads(line) for line in results.read_text().splitlines())
