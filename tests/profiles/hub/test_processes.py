"""Real processes: killed, racing for one file, and out of room."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from specchat.profiles.hub.download import download
from specchat.profiles.hub.layout import Place

from ...hub.faults import Fault
from .support import DATA, Watch, file_of, hub_at, whole_files

MEGABYTE = 1_000_000
FETCH = (sys.executable, str(Path(__file__).with_name("fetch_one.py")))


@pytest.fixture
def start(standin):
    """A function that starts a process which fetches; what is left of them at the end of the test is killed."""
    started = []

    def begin(cache, *arguments, command=FETCH, **more):
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
        process = subprocess.Popen(
            [*command, *arguments],
            env={**kept, "HF_ENDPOINT": standin.endpoint, "HF_HOME": str(cache), **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()


def wait_for_its_start(process):
    """Until it knows how much there is to fetch: from then on it waits for the lock of who came first."""
    while " of " not in process.stderr.readline():
        assert process.poll() is None


def end(process, seconds=120):
    """The exit code, stdout and what of stderr was not read yet."""
    out, err = process.communicate(timeout=seconds)
    return process.returncode, out, err


def large_file(path, size, seed):
    """A file that is nowhere like itself."""
    random = Random(seed)
    with path.open("wb") as stream:
        for _ in range(size // MEGABYTE):
            stream.write(random.randbytes(MEGABYTE))
    return path


def digest(path):
    checksum = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(MEGABYTE):
            checksum.update(block)
    return checksum.hexdigest()


@pytest.mark.parametrize("xet", [False, True])
def test_a_download_of_200_mb_that_is_killed_halfway_costs_at_most_a_tenth_more(standin, start, tmp_path, xet):
    size = 200 * MEGABYTE
    source = large_file(tmp_path / "source", size, 1)
    standin.add("user/repo", {"model.gguf": source}, xet=xet)
    fault = standin.inject(Fault("/cdn/", stall_at=size // 2))
    process = start(tmp_path / "cache", "user/repo", "model.gguf")
    assert fault.stalled.wait(60)
    process.kill()
    assert end(process)[0] == -signal.SIGKILL
    fault.release.set()
    assert whole_files(tmp_path / "cache/hub") == []
    code, out, err = end(start(tmp_path / "cache", "user/repo", "model.gguf"))
    assert code == 0, err
    assert digest(out.strip()) == digest(source)
    assert standin.served <= 1.1 * size
    assert not list((tmp_path / "cache").glob("**/*.incomplete"))


def test_200_mb_that_are_cut_at_ten_random_places_arrive_right(standin, tmp_path):
    size, places = 200 * MEGABYTE, Random(10)
    source = large_file(tmp_path / "source", size, 1)
    standin.add("user/repo", {"model.gguf": source})
    for _ in range(10):
        standin.inject(Fault("/cdn/", cut_at=places.randrange(size // 11)))
    hub = hub_at(standin.endpoint, tmp_path / "cache")
    path = download(hub, [file_of(hub)], Watch())[0]
    assert digest(path) == digest(source)
    assert standin.served <= 1.1 * size


def test_two_processes_that_want_the_same_files_share_the_work(standin, start, tmp_path):
    target, draft = Random(2).randbytes(3 * MEGABYTE), Random(3).randbytes(2 * MEGABYTE)
    standin.add("user/repo", {"target.gguf": target, "draft.gguf": draft})
    fault = standin.inject(Fault("/cdn/", stall_at=MEGABYTE))
    wanted = ("user/repo", "target.gguf", "draft.gguf")
    first = start(tmp_path, *wanted)
    assert fault.stalled.wait(60)
    second = start(tmp_path, *wanted)
    wait_for_its_start(second)
    fault.release.set()
    outcomes = [end(first), end(second)]
    assert [code for code, _, _ in outcomes] == [0, 0], outcomes
    assert outcomes[0][1] == outcomes[1][1]
    paths = outcomes[0][1].split()
    assert [Path(path).read_bytes() for path in paths] == [target, draft]
    assert standin.served == len(target) + len(draft)


def test_a_process_that_waits_for_one_that_is_killed_goes_on_where_that_stopped(standin, start, tmp_path):
    data = Random(4).randbytes(3 * MEGABYTE)
    standin.add("user/repo", {"model.gguf": data})
    fault = standin.inject(Fault("/cdn/", stall_at=2 * MEGABYTE))
    first = start(tmp_path, "user/repo", "model.gguf")
    assert fault.stalled.wait(60)
    second = start(tmp_path, "user/repo", "model.gguf")
    wait_for_its_start(second)
    first.kill()
    end(first)
    fault.release.set()
    code, out, err = end(second)
    assert code == 0, err
    assert Path(out.strip()).read_bytes() == data
    assert standin.served <= 1.1 * len(data)


@pytest.fixture
def small_disk(tmp_path):
    """The beginning of a command that runs the rest of it with a file system of 2 MB at `small`, full of `prepared`."""
    for name in ("small", "prepared"):
        (tmp_path / name).mkdir()
    script = (
        'mount -t tmpfs -o size=2m tmpfs small && cp -r prepared/. small && "$@"; code=$?; umount small; exit $code'
    )
    inside = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f'cd "$0" && {script}', str(tmp_path))
    if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    return inside


def test_a_disk_that_is_too_small_is_noticed_before_the_first_byte(standin, start, tmp_path, small_disk):
    files = {"target.gguf": Random(5).randbytes(MEGABYTE), "draft.gguf": Random(6).randbytes(2 * MEGABYTE)}
    standin.add("user/repo", files)
    command = (*small_disk, *FETCH)
    code, out, err = end(start(tmp_path / "small/home", "user/repo", *files, command=command))
    assert (code, out, standin.served) == (5, "", 0)
    assert err.replace(str(tmp_path), "CACHE") == (
        "error: There is no room: 3.0 MB are to come, and CACHE/small/home/hub has 2.1 MB free.\n"
        "hint: Free 902.8 kB, or name a folder on another disk in HF_HUB_CACHE.\n"
    )


def test_a_disk_that_is_too_small_is_left_as_it_was(standin, start, tmp_path, small_disk):
    standin.add("user/repo", {"model.gguf": Random(5).randbytes(3 * MEGABYTE)})
    listed = ("sh", "-c", '"$@"; find small -mindepth 1', "sh", *FETCH)
    _, out, err = end(start(tmp_path / "small/home", "user/repo", "model.gguf", command=(*small_disk, *listed)))
    assert (out, "There is no room" in err) == ("", True)


def test_what_has_arrived_needs_no_more_room(standin, start, tmp_path, small_disk):
    data = Random(5).randbytes(1_500_000)
    standin.add("user/repo", {"model.gguf": data})
    partial = Place(tmp_path / "prepared/hub", file_of(hub_at(standin.endpoint, tmp_path))).partial
    partial.parent.mkdir(parents=True)
    partial.write_bytes(data[:1_200_000])
    code, _, err = end(start(tmp_path / "small", "user/repo", "model.gguf", command=(*small_disk, *FETCH)))
    assert code == 0, err
    assert standin.served == 300_000


def test_a_disk_that_fills_on_the_way_keeps_what_has_arrived(standin, start, tmp_path):
    data = Random(7).randbytes(3 * MEGABYTE)
    standin.add("user/repo", {"model.gguf": data})
    limit = ("prlimit", f"--fsize={MEGABYTE}", *FETCH)
    if not shutil.which("prlimit"):
        pytest.skip("no prlimit here")
    code, out, err = end(start(tmp_path, "user/repo", "model.gguf", command=limit))
    assert (code, out) == (5, "")
    assert err.replace(str(tmp_path), "CACHE") == (
        "0 of 3000000\n"
        "error: The disk with CACHE/hub is full.\n"
        "hint: Make room, or name a folder on another disk in HF_HUB_CACHE. "
        "What has arrived is kept: the same command goes on from there.\n"
    )
    assert whole_files(tmp_path / "hub") == []
    code, out, _ = end(start(tmp_path, "user/repo", "model.gguf"))
    assert Path(out.strip()).read_bytes() == data


def test_a_folder_that_may_not_be_written_is_named(standin, start, tmp_path):
    standin.add("user/repo", {"model.gguf": DATA})
    (tmp_path / "hub").write_text("a file where the folder would be")
    code, _, err = end(start(tmp_path, "user/repo", "model.gguf"))
    assert code == 5
    assert "error: " in err
    assert "cannot be written: " in err


def test_a_proxy_where_nobody_listens_is_named(start, tmp_path):
    proxy = {"HTTP_PROXY": "http://me:secret@127.0.0.1:9", "HF_ENDPOINT": "http://hub.invalid"}
    code, _, err = end(start(tmp_path, "user/repo", "model.gguf", **proxy))
    assert code == 5
    assert err == (
        "error: The proxy that HTTP_PROXY names does not lead to hub.invalid: Connection refused.\n"
        "hint: Correct HTTP_PROXY, or except the hub from it with NO_PROXY=hub.invalid.\n"
    )


def test_a_proxy_of_a_kind_that_is_not_understood_is_named(start, tmp_path):
    for address in ("socks5://127.0.0.1:9", "gopher://127.0.0.1:9"):
        proxy = {"ALL_PROXY": address, "HF_ENDPOINT": "http://hub.invalid"}
        code, _, err = end(start(tmp_path, "user/repo", "model.gguf", **proxy))
        assert code == 5
        assert err.startswith("error: The proxy that ALL_PROXY names cannot be used: ")
