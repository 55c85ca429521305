"""What `specchat rpc-server` says before it serves, and how it ends."""

import signal
import subprocess
from collections.abc import Iterator

import pytest

from .servers import COMMAND, free_port, needs_rpc, serving

pytestmark = needs_rpc


@pytest.fixture
def others() -> Iterator[int]:
    """A port that another server has."""
    with serving() as server:
        yield server.port


def refused(*arguments: object) -> tuple[int, str]:
    command = [*COMMAND, "rpc-server", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr


def begun(*arguments: object) -> tuple[str, int]:
    """What it says up to where it listens, and how it ends by Ctrl-C then."""
    command = [*COMMAND, "rpc-server", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stderr
        said = ""
        while "Listening" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == ""
    return said, process.returncode


def test_it_keeps_to_this_machine_and_ends_by_ctrl_c():
    port = free_port()
    said, code = begun("-p", port)
    assert f"Listening at 127.0.0.1:{port}, until Ctrl-C." in said
    assert "Only this machine reaches 127.0.0.1" in said
    assert "warning" not in said
    assert code == -signal.SIGINT


def test_it_warns_where_others_reach_it():
    said, _ = begun("-p", free_port(), "--host", "0.0.0.0")
    assert "warning: Whoever reaches this port can take over this machine" in said


def test_a_port_that_is_taken(others):
    code, said = refused("-p", others)
    assert code == 1
    assert f"Nothing can listen at 127.0.0.1:{others}: Address already in use." in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-p", 65536), "no port 65536"),
        (("-p", 0), "0 is too small"),
        (("--device", "CUDA7"), "There is no device 'CUDA7'"),
        (("--host", "::1"), "IPv6"),
    ],
)
def test_what_makes_no_sense_is_told_at_once(arguments, words):
    code, said = refused(*arguments)
    assert (code, words in said) == (2, True)


def test_a_host_that_is_another_machine():
    code, said = refused("--host", "192.0.2.1")
    assert (code, "Nothing can listen at 192.0.2.1:50052" in said) == (1, True)
