"""Processes that write sessions: one that is killed, two at once, and one that may not write much."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from specchat.cli.sessions.log import SessionLog
from specchat.speculative.errors import UsageError
from specchat.speculative.messages import Message, Role

from .test_log import SYSTEM, create, reopened, user

CHAT = """
import sys
from pathlib import Path
from specchat.cli.sessions.log import SessionLog
from specchat.speculative.messages import Message

log = SessionLog.open(Path(sys.argv[1]), "chat")
"""
IN_AN_ANSWER = f"""{CHAT}
log.add(Message("user", "How many?"))
number = 0
while True:
    log.show(f"{{number}} 🦆 ")
    print(number, flush=True)
    number += 1
"""
ANSWERS = f"""{CHAT}
number = 0
while True:
    log.add(Message("user", f"{{number}}?"))
    for part in range(3):
        log.show(f"{{number}}")
    log.add(Message("assistant", f"{{number}}" * 3), finish_reason="stop", seed=number)
    log.drop(number % 2)
    print(number, flush=True)
    number += 1
"""
NO_ROOM = f"""{CHAT}
import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
for number in range(9):
    log.add(Message("user", f"{{number}}" * 500))
    log.show(f"{{number}}")
    log.add(Message("assistant", f"{{number}}"))  # which may find room where the line before did not
assert len(log.messages) == 19
log.close()
print(log.failed)
"""
NO_ROOM_AT_ALL = """
import resource
import sys
from pathlib import Path
from specchat.cli.sessions.lines import Header
from specchat.cli.sessions.log import SessionLog

resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
with SessionLog.create(Path(sys.argv[1]), "chat", Header("now", "big", "ngram")) as log:
    print(log.failed)
"""


SIZES: tuple[tuple[Role, int], ...] = (("user", 500), ("assistant", 1))


@contextmanager
def running(program: str, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def killed_after(process: "subprocess.Popen[str]", count: int) -> int:
    """Kill it when it has printed so many lines; returns how many it has printed in the end."""
    assert process.stdout is not None
    for _ in range(count):
        assert process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    printed = count + len(process.stdout.read().splitlines())
    process.wait()  # only then are all its files closed
    return printed


@pytest.mark.parametrize("count", [1, 50])
def test_a_process_that_is_killed_in_an_answer_keeps_what_it_has_shown(tmp_path, count):
    create(tmp_path).close()
    with running(IN_AN_ANSWER, tmp_path) as process:
        printed = killed_after(process, count)
    log = reopened(tmp_path)
    question, answer = log.transcript.turns
    assert (question.message, answer.finish_reason) == (user("How many?"), "interrupted")
    shown = "".join(f"{number} 🦆 " for number in range(printed + 1))
    assert shown.startswith(answer.message.content)
    assert answer.message.content.startswith("".join(f"{number} 🦆 " for number in range(printed)))
    assert log.notice == "The last answer is not complete, but as it was shown; /continue in a chat goes on with it."
    again = reopened(tmp_path)
    assert (again.messages, again.notice) == (log.messages, "")
    assert [file.name for file in tmp_path.iterdir()] == ["chat.jsonl"]


@pytest.mark.parametrize("count", range(1, 9))
def test_a_process_may_be_killed_at_any_moment(tmp_path, count):
    create(tmp_path).close()
    with running(ANSWERS, tmp_path) as process:
        done = killed_after(process, count)
    messages = reopened(tmp_path).messages
    expected = [SYSTEM]
    for number in range(done):
        expected += [user(f"{number}?"), *([Message("assistant", f"{number}" * 3)] if number % 2 == 0 else [])]
    assert messages[: len(expected)] == expected
    rest = messages[len(expected) :]
    assert [each.role for each in rest] in ([], ["user"], ["user", "assistant"])
    assert not rest or rest[0] == user(f"{done}?")
    assert rest[1:] in ([], *([Message("assistant", f"{done}" * parts)] for parts in (1, 2, 3)))
    assert {file.name for file in tmp_path.iterdir()} <= {"chat.jsonl", "chat.damaged"}


def test_a_second_process_does_not_write_into_a_session_and_a_killed_one_lets_go_of_it(tmp_path):
    create(tmp_path).close()
    with running(IN_AN_ANSWER, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        with pytest.raises(UsageError, match="chat is open in another chat"):
            SessionLog.open(tmp_path, "chat")
        other = [sys.executable, "-c", CHAT, str(tmp_path)]
        done = subprocess.run(other, capture_output=True, text=True, check=False)
        assert "UsageError: chat is open in another chat." in done.stderr
        killed_after(process, 1)
        SessionLog.open(tmp_path, "chat").close()


@pytest.mark.parametrize("room", [0, 1, 200, 600, 700, 800, 1300, 2900])
def test_a_full_disk_does_not_end_the_chat_and_keeps_what_found_room(tmp_path, room):
    create(tmp_path).close()
    file = tmp_path / "chat.jsonl"
    limit = file.stat().st_size + room
    command = [sys.executable, "-c", NO_ROOM, str(tmp_path), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"From here on this chat is not kept: {file}: File too large.\n"
    log = reopened(tmp_path)
    said = [Message(role, f"{number}" * size) for number in range(9) for role, size in SIZES]
    kept = log.messages[1:]
    assert kept == said[: len(kept)]
    assert len(kept) >= 2 * (room // 700)
    assert not (tmp_path / "chat.damaged").exists()


def test_a_session_for_whose_beginning_there_is_no_room_leaves_no_file(tmp_path):
    command = [sys.executable, "-c", NO_ROOM_AT_ALL, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout
    assert list(tmp_path.iterdir()) == []
