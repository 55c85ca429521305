"""`specchat pull` as processes of their own: one that is stopped, and two at once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ..hub.faults import Fault

MORE = 20_000_000
"""Bytes that files have behind what was written."""


@pytest.fixture
def pull(hub, tmp_path):
    """Starts `specchat pull` of some arguments."""
    started = []

    def start(*arguments):
        command = (sys.executable, "-m", "specchat.cli.main", "pull", *arguments)
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
        kept |= {"HF_ENDPOINT": hub.standin.endpoint, "HF_HOME": str(tmp_path / "hf")}
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, env=kept, **streams))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def longer(hub, file, name):
    """The content of `file` and more, which a repository on the hub has now."""
    content = file.read_bytes() + bytes(MORE)
    hub.standin.add(name, {file.name: content})
    return content


def test_two_at_once_fetch_each_file_once(hub, pull, tmp_path):
    files = [tmp_path / "big-Q4_K_M.gguf", tmp_path / "small-Q8_0.gguf"]
    names = ["user/big-GGUF", "user/small-GGUF"]
    contents = [longer(hub, file, name) for file, name in zip(files, names, strict=True)]
    fault = hub.standin.inject(Fault("/cdn/", skip=2, stall_at=MORE // 2))  # behind the headers of both
    first = pull(names[0], "--draft", names[1])
    assert fault.stalled.wait(60)
    second = pull(names[0], "--draft", names[1])
    with pytest.raises(subprocess.TimeoutExpired):
        second.wait(3)
    fault.release.set()
    for process in (first, second):
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert [Path(line).read_bytes() for line in out.splitlines()] == contents
    total = sum(map(len, contents))
    assert total <= hub.standin.served <= 1.1 * total


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_ctrl_c_in_a_download_keeps_what_has_arrived(hub, pull, tmp_path):
    whole = longer(hub, tmp_path / "big-Q4_K_M.gguf", "user/big-GGUF")
    fault = hub.standin.inject(Fault("/cdn/", stall_at=len(whole) // 2))
    process = pull("user/big-GGUF")
    assert fault.stalled.wait(60)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    fault.release.set()
    assert (process.returncode, out) == (-signal.SIGINT, "")
    assert err == (
        "user/big-GGUF: big-Q4_K_M.gguf, the only model in it.\n"
        "Stopped. What has arrived is kept: the same command goes on from there.\n"
    )
    assert not list(hub.cache.rglob("*.gguf"))
    done = hub.run("pull", "user/big-GGUF")
    assert Path(done.out.strip()).read_bytes() == whole
    assert hub.standin.served <= 1.1 * len(whole)
