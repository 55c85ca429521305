"""The file of what was typed."""

import json
import os
import stat
import subprocess
import sys

import pytest

from specchat.cli.chat.line.history import History


@pytest.fixture
def path(tmp_path):
    return tmp_path / "specchat" / "history" / "chat.jsonl"


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_messages_come_back_in_order_and_a_message_of_several_lines_is_one(path):
    history = History(path)
    for text in ("one", "two\n\nlines\n", "two\n\nlines\n", "one", " ", "é \u2028 x"):
        history.add(text)
    assert history.entries() == ["one", "two\n\nlines\n", "one", "é \u2028 x"]
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[0]) == {"format": 1}


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_only_its_owner_reads_it_whatever_the_mask(path):
    before = os.umask(0)
    try:
        History(path).add("secret")
        for _ in range(3):
            History(path, most_bytes=100).add("x" * 20)
            assert mode(path) == 0o600
            assert [mode(folder) for folder in path.parents[:2]] == [0o700, 0o700]
            assert {mode(file) for file in path.parent.iterdir()} == {0o600}
    finally:
        os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="no modes")
def test_a_file_that_others_could_read_is_closed_to_them(path):
    path.parent.mkdir(parents=True)
    path.touch(0o644)
    History(path).add("secret")
    assert mode(path) == 0o600


def test_the_oldest_go_when_it_is_full_and_what_is_too_long_is_not_kept(path):
    history = History(path, most_bytes=1000)
    for number in range(200):
        history.add(f"message {number}")
        assert path.stat().st_size <= 1000
    assert history.entries()[-1] == "message 199"
    assert len(history.entries()) > 20
    history.add("x" * 400)
    assert history.entries()[-1] == "message 199"


@pytest.mark.parametrize("damage", [b"\xff\x00\n", b'"cut off', b"[1, 2]\n", b"7\n", b"[" * 100_000 + b"\n"])
def test_a_damaged_line_is_passed_over(path, damage):
    history = History(path)
    history.add("before")
    path.write_bytes(path.read_bytes() + damage)
    history.add("after")
    assert history.entries() == ["before", "after"]


def test_what_cannot_be_read_or_written_is_no_error(tmp_path, path):
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    for place in (None, in_the_way / "history" / "chat.jsonl", tmp_path / "specchat" / "history"):
        History(place).add("lost")
        (tmp_path / "specchat" / "history").mkdir(parents=True, exist_ok=True)
        assert History(place).entries() == []
    if sys.platform != "win32":
        os.mkfifo(path)  # reading it would wait for ever
        History(path).add("lost")
        assert History(path).entries() == []


def test_a_format_that_is_not_ours_is_left_alone(path):
    path.parent.mkdir(parents=True)
    path.write_text('{"format": 2}\n"theirs"\n')
    History(path).add("ours")
    assert History(path).entries() == []
    assert path.read_text() == '{"format": 2}\n"theirs"\n'


def test_chats_at_the_same_time_lose_nothing(path):
    program = (
        "import sys; from pathlib import Path; from specchat.cli.chat.line.history import History\n"
        "for number in range(100): History(Path(sys.argv[1]), int(sys.argv[3])).add(f'{sys.argv[2]} {number}')"
    )

    def run(most_bytes: int) -> None:
        writers = [
            subprocess.Popen([sys.executable, "-c", program, str(path), name, str(most_bytes)]) for name in "abc"
        ]
        assert [writer.wait(60) for writer in writers] == [0, 0, 0]

    run(1 << 20)
    entries = History(path).entries()
    for name in "abc":
        assert [entry for entry in entries if entry[0] == name] == [f"{name} {number}" for number in range(100)]
    run(600)  # now with files that are replaced under the others
    assert path.stat().st_size <= 600
    assert all(line.startswith((b'"', b"{")) and line.endswith((b'"', b"}")) for line in path.read_bytes().splitlines())
