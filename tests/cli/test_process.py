"""Real processes, signals, streams and a terminal; the model is tiny and random, and here goes on for very long."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

COMMAND = (sys.executable, "-m", "specchat.cli.main")


@pytest.fixture(scope="module")
def model(write_tiny_model) -> Path:
    path: Path = write_tiny_model(seed=3, n_ctx=100_000)
    return path


def specchat(*arguments: object, **settings: Any) -> "subprocess.CompletedProcess[bytes]":
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    if "input" in settings:
        del streams["stdin"]
    return subprocess.run([*COMMAND, *map(str, arguments)], timeout=60, check=False, **streams)


def started(*arguments: object, **settings: Any) -> "subprocess.Popen[bytes]":
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    return subprocess.Popen([*COMMAND, *map(str, arguments)], bufsize=0, **streams)


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, bytes]:
    """The exit status and what stderr said."""
    _, err = process.communicate(timeout=30)
    return process.returncode, err


def test_help_is_quick():
    def cost() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert specchat("--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cost() for _ in range(3)) < 0.3


def test_help_imports_no_engine():
    program = (
        "import sys; from specchat.cli.app import application\n"
        "application()(['run', '--help'], standalone_mode=False)\n"
        "print(*(name for name in ('llama_cpp', 'numpy', 'yaml', 'rich') if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stderr.split() == []


def test_a_closed_pipe_ends_it_by_sigpipe_without_a_word(model):
    process = started("run", "-t", 1, "-m", model, "--temp", "0", "Hi")
    assert process.stdout is not None
    assert process.stdout.read(20)
    process.stdout.close()
    process.stdout = None
    assert ended(process) == (-signal.SIGPIPE, b"")


def test_ctrl_c_ends_an_answer_by_sigint_and_ends_its_line(model):
    process = started("run", "-t", 1, "-m", model, "--temp", "0", "Hi")
    assert process.stdout is not None
    first = process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (-signal.SIGINT, b"")
    assert (first + out).endswith(b"\n")
    (first + out).decode()


def test_ctrl_c_before_there_is_anything_to_keep_ends_it_by_sigint_without_a_word(model):
    process = started("run", "-t", 1, "-m", model, "Hi", stdin=subprocess.PIPE)
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"reading stdin")  # by now it waits for its input
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == -signal.SIGINT
    assert ended(process) == (-signal.SIGINT, b"")


def test_ctrl_c_kills_from_before_the_first_import_that_takes_time():
    program = (
        "import signal, sys, types; from specchat.cli.main import main\n"
        "print('specchat.cli.execution' in sys.modules)\n"
        "stub = sys.modules['specchat.cli.execution'] = types.ModuleType('execution')\n"
        "stub.execute, stub.run_process = None, lambda program: print(signal.getsignal(signal.SIGINT).name)\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "SIG_DFL"]


def test_ctrl_c_kills_whatever_program_runs_until_it_says_otherwise():
    program = (
        "import signal; from specchat.cli.execution import run_process\n"
        "run_process(lambda env: print(signal.getsignal(signal.SIGINT).name) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["SIG_DFL"]


def test_one_ctrl_c_ends_a_loop_of_the_shell(model):
    line = f"for i in 1 2 3; do {sys.executable} -m specchat.cli.main run -t 1 -m {model} --temp 0 Hi; echo next; done"
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it for ever
    process = subprocess.Popen(
        ["bash", "-c", line], bufsize=0, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    signal.signal(signal.SIGINT, heard)
    assert process.stdout is not None
    process.stdout.read(1)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert b"next" not in out


def test_a_loop_that_reads_lines_gets_all_its_turns(model):
    run = f"{sys.executable} -m specchat.cli.main run -t 1 -m {model} -n 9 --json --no-stdin"
    line = f'while read -r word; do {run} "$word"; done'
    done = subprocess.run(["bash", "-c", line], input=b"one\ntwo\nthree\n", capture_output=True, timeout=60, check=True)
    assert done.stdout.count(b"\n") == 3
    assert done.stderr == b""


@pytest.mark.parametrize(
    "locale", [{}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}]
)
def test_text_is_utf_8_whatever_the_locale(model, locale):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **locale}
    done = specchat("run", "-t", 1, "-m", model, "-n", "60", "-s", "1", "--stats", "Grüße, 世界", env=environment)
    assert done.returncode == 0
    assert "\ufffd" in done.stdout.decode()  # a random model says what is no text
    assert " · ".encode() in done.stderr


def test_closed_streams_are_no_accident(model):
    run = f"{sys.executable} -m specchat.cli.main run -t 1 -m {model} -n 1"
    assert subprocess.run(["bash", "-c", f"{run} Hi <&-"], capture_output=True, timeout=60, check=True).stderr == b""
    subprocess.run(["bash", "-c", f"{run} Hi 2>&-"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    done = subprocess.run(["bash", "-c", f"{run} Hi >&-"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[:1]) == (1, [b"error: Standard output is closed."])
    done = subprocess.run(["bash", "-c", f"{run} <&-"], capture_output=True, check=False)
    assert done.returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_a_sentence(model):
    with Path("/dev/full").open("wb") as full:
        done = specchat("run", "-t", 1, "-m", model, "-n", "9", "--json", "Hi", stdout=full)
    assert (done.returncode, done.stderr.splitlines()[:1]) == (1, [b"error: No space left on device."])


def test_the_answer_holds_what_the_limit_let_through(model):
    """Characters that tokens or the limit split are never torn."""
    texts = [
        specchat("run", "-t", 1, "-m", model, "-n", limit, "--temp", "0", "Hi").stdout.decode().removesuffix("\n")
        for limit in (1, 5, 9)
    ]
    assert all(texts[-1].startswith(text.rstrip("\ufffd")) for text in texts)


@pytest.mark.parametrize("arguments", ["--version", "--help", "run --help"])
def test_help_into_a_closed_pipe_ends_by_sigpipe_without_a_word(arguments):
    line = f"{sys.executable} -m specchat.cli.main {arguments} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert done.stderr == b""
    assert int(done.stdout) in (0, 128 + signal.SIGPIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_standard_error_that_takes_nothing_changes_nothing(model):
    run = f"{sys.executable} -m specchat.cli.main run -t 1 -n 3 --stats"
    for target in ("/dev/full", ">(true)"):
        line = f"{run} -m {model} Hi 2> {target}; echo $?; {run} -m missing.gguf Hi 2> {target}; echo $?"
        done = subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        codes = done.stdout.splitlines()
        assert (codes[-2], codes[-1]) == (b"0", b"3")


def test_a_missing_model_is_told_with_exit_code_3(tmp_path):
    done = specchat("run", "-m", tmp_path / "none.gguf", "Hi")
    assert (done.returncode, done.stdout) == (3, b"")
    assert str(tmp_path / "none.gguf").encode() in done.stderr
