"""A chat on a pseudo-terminal, typed key by key."""

import contextlib
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

READY = r"\x1b\[\?2004h"
"""The line editor has the terminal."""
ANSWER = r">>> [^\x1b]+\r\n[^\x1b^]{3}"
"""What was sent, and what follows."""

pty = pytest.importorskip("pty")


class Screen:
    """A process on a terminal of its own."""

    def __init__(self, *arguments: object, data: Path, terminal: str = "xterm") -> None:
        self.text = ""
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "specchat.cli.main", *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_take_terminal,
            env={**os.environ, "TERM": terminal, "XDG_DATA_HOME": str(data)},
        )
        os.close(slave)

    def type(self, keys: str) -> None:
        time.sleep(0.1)  # the line editor shows its prompt before it listens
        os.write(self.master, keys.encode())

    def wait_for(self, pattern: str, count: int = 1) -> None:
        """Read on until the pattern was seen so often since the start."""
        until = time.monotonic() + 30
        while len(re.findall(pattern, self.text)) < count:
            assert time.monotonic() < until, self.text
            if select.select([self.master], [], [], 1)[0]:
                self.text += os.read(self.master, 65536).decode(errors="replace")

    def end(self) -> int:
        with contextlib.suppress(OSError):
            while data := os.read(self.master, 65536):
                self.text += data.decode(errors="replace")
        return self.process.wait(30)


def _take_terminal() -> None:
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def screen(write_tiny_model, tmp_path) -> Iterator[Screen]:
    model: Path = write_tiny_model(seed=3, n_ctx=100_000)
    screen = Screen("run", "-t", 1, "-m", model, "--temp", "0", data=tmp_path)
    yield screen
    screen.process.kill()
    screen.process.wait()
    os.close(screen.master)


def test_a_chat_survives_ctrl_c_in_an_answer_and_at_the_prompt(screen):
    screen.wait_for(READY)
    screen.type("Hi\n")
    screen.wait_for(ANSWER)
    screen.type("\x03")
    screen.wait_for("stopped")
    screen.wait_for(READY, 2)
    screen.type("half a line\x03")  # clears the line
    screen.type("\x03")
    screen.wait_for("Ctrl-C stops an answer", 2)
    screen.wait_for(READY, 3)
    screen.type("/exit\n")
    assert screen.end() == 0
    assert "Traceback" not in screen.text


def test_what_is_typed_while_an_answer_streams_is_not_in_it(screen):
    screen.wait_for(READY)
    screen.type("Hi\n")
    screen.wait_for(ANSWER)
    screen.type("typed ahead")
    screen.wait_for(f"(?s).{{{len(screen.text) + 2000}}}")  # the answer goes on meanwhile
    assert "typed ahead" not in screen.text
    screen.type("\x03")
    screen.wait_for("stopped")
    screen.wait_for(READY, 2)
    screen.type("/exit\n")
    assert screen.end() == 0


def test_a_paste_of_several_lines_is_one_message(screen):
    screen.wait_for(READY)
    screen.type("\x1b[200~one\ntwo\nthree\x1b[201~")
    screen.wait_for("three")
    screen.type("\n")
    screen.wait_for(ANSWER)
    screen.type("\x03")
    screen.wait_for(READY, 2)
    screen.type("\x04")
    assert screen.end() == 0
    assert screen.text.count("first token after") == 1


def test_what_does_not_fit_is_refused_before_it_is_sent(tiny_model_path, tmp_path):
    screen = Screen("run", "-t", 1, "-m", tiny_model_path, "-n", 3, "-c", 64, data=tmp_path)
    screen.wait_for(READY)
    screen.type("x" * 100 + "\r")
    screen.wait_for("but the context holds 64")
    screen.type("\x03/exit\r")
    assert screen.end() == 0
    assert "first token after" not in screen.text


@pytest.mark.parametrize("options", [(), ("--no-save",)])
def test_a_chat_that_is_not_kept_leaves_nothing_that_was_typed(options, tiny_model_path, tmp_path):
    screen = Screen("run", "-t", 1, "-m", tiny_model_path, "-n", 3, *options, data=tmp_path)
    screen.wait_for(READY)
    screen.type("secret\r")
    screen.wait_for(READY, 2)
    screen.type("\x1b[A\r")  # in this chat it comes back all the same
    screen.wait_for("tokens/s", 2)
    screen.type("/exit\r")
    assert screen.end() == 0
    kept = [file for file in tmp_path.rglob("*.jsonl") if "secret" in file.read_text(encoding="utf-8")]
    assert bool(kept) is not bool(options)


def test_a_dumb_terminal_gets_no_escape_codes(tiny_model_path, tmp_path):
    screen = Screen("run", "-t", 1, "-m", tiny_model_path, "-n", 3, data=tmp_path, terminal="dumb")
    screen.wait_for(">>> ")
    screen.type("Hi\n")
    screen.wait_for("first token after")
    screen.type("/exit\n")
    assert screen.end() == 0
    assert "\x1b" not in screen.text


def test_a_chat_whose_answers_go_into_a_pipe_goes_on_after_the_first(tiny_model_path):
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "specchat.cli.main", "run", "-m", tiny_model_path, "-n", "3", "-s", "1", "-t", "1"],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(slave)
        os.write(master, b"one\ntwo\n/exit\n")
        _, errors = process.communicate(timeout=60)
    os.close(master)
    assert b"error" not in errors
    assert process.returncode == 0
