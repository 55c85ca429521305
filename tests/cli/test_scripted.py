"""`-x`, `-o`, `--events` and `--color`: one answer for a script."""

import json
import os
import signal
import stat
from pathlib import Path

import pytest

from specchat.speculative.errors import DecodeError

from ..nobody import nobody
from .fakes import World

MODEL = ("run", "-m", "big.gguf")
CODE = "So:\n```python\nx = 1\n```\nDone."


def interrupt_at(count: int):
    def on_pass(world: World, passes: int) -> None:
        if passes == count:
            signal.raise_signal(signal.SIGINT)

    return on_pass


def fail_at(count: int):
    def on_pass(world: World, passes: int) -> None:
        if passes == count:
            raise DecodeError("There is no memory left.")

    return on_pass


# The code block


def test_only_the_code_block_is_printed():
    world = World(answers=[CODE]).run(*MODEL, "-x", "Hi")
    assert (world.code, world.out, world.err) == (0, "x = 1\n", "")


def test_a_block_that_is_cut_off_has_its_line_ended():
    assert World(answers=["```\nx ="]).run(*MODEL, "--extract", "Hi").out == "x =\n"


def test_no_block_is_a_failure_that_says_how_to_see_the_answer():
    world = World(answers=["Nothing."]).run(*MODEL, "-x", "-s", "4", "Hi")
    assert (world.code, world.out) == (1, "")
    assert world.err == (
        "error: There is no code block in the answer.\n"
        "hint: Without -x all of it is shown; -s 4 answers the same again.\n"
    )


def test_json_has_the_block_beside_the_text():
    answer = json.loads(World(answers=[CODE]).run(*MODEL, "-x", "--json", "Hi").out)
    assert (answer["text"], answer["extracted"]) == (CODE, "x = 1\n")
    world = World(answers=["Nothing."]).run(*MODEL, "-x", "--json", "Hi")
    assert (world.code, json.loads(world.out)["extracted"]) == (1, None)
    assert "extracted" not in json.loads(World(answers=[CODE]).run(*MODEL, "--json", "Hi").out)


def test_a_block_on_a_terminal_has_nothing_that_the_terminal_obeys():
    world = World(answers=["```\n\x1b[2J\n```"], screen=True, stdin=None).run(*MODEL, "-q", "-x", "Hi")
    assert world.out == "␛[2J\n"


def test_the_statistics_come_below_the_block_and_progress_goes_away():
    world = World(answers=[CODE], screen=True, stdin=None, columns=200).run(*MODEL, "-x", "-s", "7", "Hi")
    assert " tokens · " in world.out
    shown = world.transcript.splitlines()
    assert shown[0] == "x = 1"
    assert shown[1].endswith("seed 7")


def test_ctrl_c_leaves_the_block_as_far_as_it_is():
    world = World(answers=["```\nabcdefgh"], on_pass=interrupt_at(8)).run(*MODEL, "-x", "Hi")
    assert (world.code, world.out, world.err) == (-signal.SIGINT, "abcde\n", "")


def test_raw_text_that_goes_on_has_blocks_too():
    assert World(answers=[CODE]).run("complete", "-m", "big.gguf", "-x", "Hi").out == "x = 1\n"


# In a file


def test_the_answer_goes_into_a_file(tmp_path):
    world = World().run(*MODEL, "-o", str(tmp_path / "answer.md"), "Hi")
    assert (world.code, world.out, world.err) == (0, "", "")
    assert (tmp_path / "answer.md").read_text() == "Hello.\n"
    assert [each.name for each in tmp_path.iterdir()] == ["answer.md"]


def test_the_file_has_what_would_have_been_printed(tmp_path):
    file = tmp_path / "answer"
    World(answers=[CODE]).run(*MODEL, "-o", str(file), "-x", "Hi")
    assert file.read_text() == "x = 1\n"
    World(answers=[CODE]).run(*MODEL, "-o", str(file), "--json", "Hi")
    assert json.loads(file.read_text())["text"] == CODE
    World(answers=["\x1b[2J 世界"]).run(*MODEL, "-o", str(file), "Hi")
    assert file.read_text() == "\x1b[2J 世界\n"


@pytest.mark.skipif(os.name == "nt", reason="there are no permissions")
def test_the_file_is_the_person_s_own(tmp_path):
    file = tmp_path / "answer"
    file.write_text("old")
    file.chmod(0o640)
    World().run(*MODEL, "-o", str(file), "Hi")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("on_pass", "more", "answer", "code", "said"),
    [
        (interrupt_at(3), [], "abcdefgh", -signal.SIGINT, "abcd\n"),
        (interrupt_at(0), [], "abcdefgh", -signal.SIGINT, "a\n"),
        (fail_at(3), [], "abcdefgh", 1, "abc\n"),
        (lambda world, passes: None, ["-x"], "abc", 1, ""),
    ],
)
def test_what_is_not_whole_is_shown_and_leaves_the_file_as_it_was(tmp_path, on_pass, more, answer, code, said):
    (tmp_path / "old").write_text("old")
    for name in ("old", "new"):
        world = World(answers=[answer], on_pass=on_pass).run(*MODEL, "-o", str(tmp_path / name), *more, "Hi")
        assert (world.code, world.out) == (code, said)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("old", "old")]


def test_an_answer_that_cannot_be_written_after_all_is_shown(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    world = World(on_pass=lambda world, passes: passes or folder.rmdir())
    world.run(*MODEL, "-o", str(folder / "answer"), "Hi")
    assert (world.code, world.out) == (1, "Hello.\n")
    assert "No such file or directory" in world.err


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        (".", ". is a folder.", "answer.txt"),
        ("none/answer", "There is no folder", "mkdir -p none"),
        ("file/answer", "There is no folder", "mkdir -p file"),
        ("x" * 300, "cannot be written: File name too long.", "another path"),
        (os.devnull, "is no regular file", "> "),
        ("", "-o: The name is empty.", "a file to be written"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_loaded(
    tmp_path, monkeypatch, name, message, hint
):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    world = World().run(*MODEL, "-o", name, "Hi")
    assert (world.code, world.out, world.pair) == (2, "", None)
    assert message in world.err.splitlines()[0]
    assert hint in world.err.splitlines()[1]


@pytest.mark.skipif(os.name == "nt", reason="there are no permissions")
def test_what_may_not_be_written_is_refused_before_anything_is_loaded(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "file").touch()
    with nobody():
        for name in ("file", "new"):
            world = World().run(*MODEL, "-o", str(tmp_path / name), "Hi")
            assert (world.code, world.pair) == (2, None)


# Events


def events(*more: str, **settings) -> tuple[World, list[dict]]:
    world = World(**settings).run(*MODEL, "--events", *more, "Hi")
    return world, [json.loads(line) for line in world.out.splitlines()]


def test_all_that_happens_is_a_line():
    world, told = events("--draft", "ngram", answers=["abcabcabcabc"])
    assert (world.code, world.err) == (0, "")
    assert told[0] == {"event": "prompt", "read": 0, "total": 3, "cached": 0}
    texts = [each for each in told if each["event"] == "text"]
    assert "".join(each["text"] for each in texts) == "abcabcabcabc"
    assert {each["from_draft"] for each in texts} == {False, True}
    rounds = [each for each in told if each["event"] == "round"]
    finished = told[-1]
    assert finished["event"] == "finished"
    assert sum(each["accepted"] for each in rounds) == finished["speculation"]["accepted"] > 0
    assert sum(each["drafted"] for each in rounds) == finished["speculation"]["drafted"]


def test_the_last_event_says_what_json_says():
    _, told = events("-x", answers=[CODE])
    content = json.loads(World(answers=[CODE]).run(*MODEL, "--json", "-x", "Hi").out)
    assert set(told[-1]) == {"event", *content}
    assert told[-1]["extracted"] == "x = 1\n"


def test_events_are_written_as_they_happen():
    seen: list[int] = []
    World(on_pass=lambda world, passes: seen.append(world.out.count("\n"))).run(*MODEL, "--events", "Hi")
    assert seen == [1, 3, 5, 7, 9, 11, 13]


def test_events_tell_of_ctrl_c_and_errors():
    world, told = events(on_pass=interrupt_at(3))
    assert (world.code, told[-1]["finish_reason"]) == (-signal.SIGINT, "cancelled")
    world, told = events(on_pass=fail_at(3))
    assert (world.code, told[-1]["finish_reason"], world.err) == (1, "error", "error: There is no memory left.\n")


def test_beside_the_events_the_answer_may_go_into_a_file(tmp_path):
    _, told = events("-o", str(tmp_path / "answer"))
    assert (tmp_path / "answer").read_text() == "Hello.\n"
    assert told[-1]["text"] == "Hello."


# What does not go together


@pytest.mark.parametrize("options", [["--events"], ["-x"], ["-o", "answer"]])
def test_chats_and_comparisons_take_none_of_it(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for world in (
        World(stdin=None).run(*MODEL, *options),
        World(stdin=None).run(*MODEL, *options, "-i", "Hi"),
        World().run(*MODEL, *options, "--compare", "Hi"),
    ):
        assert (world.code, world.out, world.pair) == (2, "", None)
        assert world.err.startswith(f"error: {options[0]} ")


def test_events_and_json_exclude_each_other():
    world = World().run(*MODEL, "--events", "--json", "Hi")
    assert (world.code, world.pair) == (2, None)


# Colours

TINTED = (*MODEL, "-q", "--tint", "--draft", "ngram", "Hi")


@pytest.mark.parametrize(
    ("when", "screen", "variables", "colored"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("always", True, {"NO_COLOR": "1", "TERM": "dumb"}, True),
        ("always", False, {}, True),
        ("never", True, {}, False),
    ],
)
def test_colours_are_where_they_are_wanted(when, screen, variables, colored):
    stdin = None if screen else b""
    world = World(answers=["abcabcabc"], screen=screen, stdin=stdin, variables=variables)
    world.run(*TINTED, "--color", when)
    assert ("\x1b[36m" in world.out) is colored
    world = World(load_error=DecodeError("So."), screen=screen, stdin=stdin, variables=variables)
    world.run(*TINTED, "--color", when)
    assert ("\x1b[31merror" in world.err) is colored


def test_colours_are_asked_for_in_three_words():
    world = World().run(*MODEL, "--color", "Hi")
    assert (world.code, world.err.splitlines()[0]) == (2, "error: --color: 'Hi' is not known.")
