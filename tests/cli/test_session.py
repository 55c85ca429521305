"""`specchat session list|show|export|rm|path`."""

import json
import os
import re
import stat
from pathlib import Path

import pytest

from specchat.cli.display.screen import width_of
from specchat.cli.sessions.lines import Header
from specchat.cli.sessions.log import SessionLog
from specchat.speculative.messages import Message

from .fakes import World

THEN = 1_700_000_000
DUCKS, SKY = "2026-01-31-1201-ducks", "2026-01-31-1200-why-is-the-sky-blue"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sessions, of which that about ducks is the latest."""
    folder = tmp_path / "specchat" / "sessions"
    header = Header("2026-01-31T12:00:00+01:00", "/models/big-Q4.gguf", "ngram", "Be brief.")
    for name, question, answer in ((SKY, "Why is the sky blue?", "Rayleigh."), (DUCKS, "Ducks\x1b[2J?", "Quack:\n```")):
        with SessionLog.create(folder, name, header) as log:
            log.add(Message("user", question))
            log.add(Message("assistant", answer), finish_reason="cancelled", seed=7)
        os.utime(log.place.file, (THEN, THEN) if name == SKY else (THEN + 86400, THEN + 86400))
    return folder


def session(folder: Path, *line: str, **settings) -> World:
    return World(variables={"XDG_DATA_HOME": str(folder.parents[1]), "TZ": "UTC"}, **settings).run("session", *line)


def test_the_list_starts_with_the_latest(folder):
    done = session(folder, "list")
    assert (done.code, done.err) == (0, "")
    header, ducks, sky = done.out.splitlines()
    assert header.split("  ")[0] == "name"
    assert re.match(rf"{DUCKS} +1  2023-11-1", ducks)
    assert sky.endswith("  big-Q4  Why is the sky blue?")


@pytest.mark.parametrize("columns", [40, 80])
def test_the_list_fits_a_narrow_terminal(folder, columns):
    done = session(folder, "list", screen=True, columns=columns)
    assert max(map(len, done.out.splitlines())) <= columns
    assert f"\n{SKY}\n    answers 1 · 2023-11-1" in done.out


def test_letters_that_take_two_columns_are_counted_so(folder):
    for name in ("为什么天空是蓝色的", "été"):
        with SessionLog.create(folder, name, Header("", "m", "ngram")) as log:
            log.add(Message("user", "为什么" * 8))
    rows = session(folder, "list").out.splitlines()
    assert len({width_of(row.partition("  20")[0]) for row in rows[1:]}) == 1
    narrow = session(folder, "list", screen=True, columns=60).out.splitlines()
    assert max(map(width_of, narrow)) <= 60


def test_a_search_lists_where_something_was_said_last(folder):
    with SessionLog.create(folder, "later", Header("", "m", "ngram")) as log:
        log.add(Message("user", "Why is the\n sky so? " + "x" * 40))
        log.add(Message("assistant", "y" * 40 + " because The  Sky Is"))
        log.drop(1)
    rows = session(folder, "list", "--search", "the sky").out.splitlines()[1:]
    assert [row.split("  ")[0] for row in rows[::2]] == ["later", SKY]
    assert rows[1::2] == [f"    user: Why is the sky so? {'x' * 25}…", "    user: Why is the sky blue?"]
    found = json.loads(session(folder, "list", "--search", "QUACK", "--json").out)["sessions"]
    assert [(each["name"], each["found"]) for each in found] == [(DUCKS, "assistant: Quack: ```")]
    nothing = session(folder, "list", "--search", "s.y")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "This was said in no session.\n")


def test_the_last_answer_alone_and_its_code(folder):
    assert session(folder, "show", "--last").out == "Quack:\n```\n"
    with SessionLog.create(folder, "code", Header("", "m", "ngram")) as log:
        log.add(Message("user", "Code?"))
        assert "error: Nothing was answered in code." in session(folder, "show", "code", "-x").err
        log.add(Message("assistant", "So:\n```py\nprint(1)\n```\nDone."))
        log.add(Message("user", "Never answered."))
    assert session(folder, "show", "code", "-x").out == "print(1)\n"
    done = session(folder, "show", SKY, "-x")
    assert (done.code, done.out) == (1, "")
    assert done.err == "error: There is no code block in the answer.\nhint: With --last all of it is shown.\n"


def test_the_list_as_json(folder):
    (folder / "odd.jsonl").write_text("?\n")
    os.utime(folder / "odd.jsonl", (1, 1))
    ducks, sky, odd = json.loads(session(folder, "list", "--json").out)["sessions"]
    assert sky == {
        "name": SKY,
        "path": str(folder / f"{SKY}.jsonl"),
        "changed": "2023-11-14T22:13:20+00:00",
        "started": "2026-01-31T12:00:00+01:00",
        "answers": 1,
        "model": "/models/big-Q4.gguf",
        "draft": "ngram",
        "first_words": "Why is the sky blue?",
    }
    assert ducks["name"] == DUCKS
    assert odd["error"] == "odd is damaged: its first line is not that of a session."


def test_no_sessions_are_a_list_too(tmp_path):
    done = session(tmp_path / "a" / "b", "list")
    assert (done.code, done.out, done.err) == (0, "", "There are no sessions yet.\n")
    assert json.loads(session(tmp_path / "a" / "b", "list", "--json").out) == {"sessions": []}
    assert session(tmp_path / "a" / "b", "show").code == 2


def test_a_session_is_shown_with_who_said_what(folder):
    done = session(folder, "show", SKY)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        f"{SKY} · 2026-01-31 12:00 · /models/big-Q4.gguf · drafted by ngram\n\n"
        "system:\nBe brief.\n\nuser:\nWhy is the sky blue?\n\nassistant (stopped):\nRayleigh.\n"
    )


def test_no_terminal_obeys_what_was_said(folder):
    for line in (["show"], ["export"], ["export", "--format", "json"], ["list"]):
        assert "\x1b[2J" not in session(folder, *line, screen=True).out
    assert "Ducks\x1b[2J?" in session(folder, "show").out


def test_the_latest_is_shown_and_exported_where_none_is_named(folder):
    assert session(folder, "show").out == session(folder, "show", DUCKS).out
    assert session(folder, "export").out == session(folder, "export", DUCKS, "--format", "markdown").out
    assert session(folder, "export").out.startswith(f"# {DUCKS}\n")


def test_what_cannot_be_read_is_told_on_stderr(folder):
    with (folder / f"{SKY}.jsonl").open("a") as file:
        file.write('{"role": "user", "con')
    done = session(folder, "show", SKY)
    assert done.code == 0
    assert done.err == f"warning: The last line of {SKY} was not written to its end; it is left out.\n"
    assert done.out.endswith("Rayleigh.\n")


def test_an_export_as_json(folder):
    content = json.loads(session(folder, "export", SKY, "--format", "json").out)
    assert (content["format"], content["name"]) == (1, SKY)
    assert [message["role"] for message in content["messages"]] == ["system", "user", "assistant"]
    assert content["messages"][2]["seed"] == 7


@pytest.mark.parametrize("option", ["-o", "--output"])
def test_an_export_to_a_file_is_written_whole_and_for_its_owner(folder, tmp_path, option):
    file = tmp_path / "mine.md"
    done = session(folder, "export", option, str(file))
    assert (done.code, done.out) == (0, "")
    assert file.read_text() == session(folder, "export").out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert session(folder, "export", option, "-").out == file.read_text()


def test_an_export_to_where_nothing_can_be_is_an_error(folder, tmp_path):
    done = session(folder, "export", "-o", str(tmp_path / "none" / "mine.md"))
    assert (done.code, done.err.splitlines()[0]) == (2, f"error: There is no folder {tmp_path / 'none'}.")
    assert session(folder, "export", "-o", str(tmp_path)).code == 1
    assert session(folder, "export", "-o", os.devnull).code == 0
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("command", ["show", "export", "rm", "path"])
def test_an_unknown_name_is_an_error_with_the_one_that_was_meant(folder, command):
    done = session(folder, command, "2026-01-31-1200-why-is-the-sky")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: There is no session called 2026-01-31-1200-why-is-the-sky.\n"
        f"hint: Did you mean {SKY}? specchat session list shows all names.\n"
    )


def test_removing_asks_first(folder):
    done = session(folder, "rm", SKY, DUCKS, SKY, screen=True, stdin=None, lines=["n"])
    assert (done.code, len(list(folder.iterdir()))) == (0, 2)
    assert f"{SKY}\n" in done.transcript
    assert "Remove these 2 sessions? [y/N] n\nNothing is removed.\n" in done.transcript
    done = session(folder, "rm", SKY, screen=True, stdin=None, lines=["y"])
    assert done.transcript.endswith(f"Remove this session? [y/N] y\n{SKY} is removed.\n")
    assert [file.name for file in folder.iterdir()] == [f"{DUCKS}.jsonl"]


def test_without_a_terminal_yes_has_to_be_said_beforehand(folder):
    done = session(folder, "rm", SKY)
    assert (done.code, len(list(folder.iterdir()))) == (2, 2)
    assert "hint: Leave the question out with -y." in done.err
    assert session(folder, "rm", "-y", SKY, DUCKS).code == 0
    assert list(folder.iterdir()) == []


def test_nothing_is_removed_where_one_is_unknown_or_open(folder):
    assert session(folder, "rm", "-y", DUCKS, "none").code == 2
    with SessionLog.open(folder, SKY):
        done = session(folder, "rm", "-y", DUCKS, SKY)
        assert (done.code, done.err.splitlines()[0]) == (2, f"error: {SKY} is open in another chat.")
    assert len(list(folder.iterdir())) == 2


def test_paths_can_be_asked_for(folder):
    assert session(folder, "path").out == f"{folder}\n"
    assert session(folder, "path", SKY).out == f"{folder / SKY}.jsonl\n"


def test_without_a_home_there_are_no_sessions():
    def homeless() -> Path:
        raise RuntimeError

    done = World(home=homeless).run("session", "list")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: There is no home folder to keep chats in.\nhint: Name a folder in XDG_DATA_HOME.\n"


@pytest.mark.parametrize("line", [(), ("lst",)])
def test_a_command_that_is_missing_or_unknown_is_an_error_with_the_way_on(folder, line):
    done = session(folder, *line)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("hint: specchat session --help lists the commands.\n")
