"""A message that was taken back before its answer stands in the line again, on a real terminal."""

import json
import sys

import pytest

pytest.importorskip("pexpect")
pytest.importorskip("pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

from .terminal.case import Case  # noqa: E402
from .terminal.recording import Recording, record  # noqa: E402

READY = b"\x1b[?2004h"
LONG = "x" * 200
"""What takes several passes to read."""


def screen(folder, *lines, arguments=(), variables=None, **settings):
    """What a chat shows in the end, the keys of each line being typed once it is ready for them."""
    keys = [(READY, keys) for keys in (*lines, "\x15/exit\r")]
    case = Case(
        answers=["One.", "Two."],
        columns=250,
        prompt=(),
        arguments=arguments,
        keys=keys,
        variables=variables or {},
        settings=settings,
    )
    recording = Recording(case, folder)
    record([recording])
    assert recording.code == 0
    return recording.screen.text


@pytest.mark.parametrize("line", [LONG, f"//exit {LONG}"])
def test_a_message_that_ctrl_c_stopped_before_its_answer_is_in_the_line_again(line, tmp_path):
    shown = screen(tmp_path, f"{line}\r", ", I said\r", stopped=1)
    assert shown[shown.index(f">>> {line}") + 1] == "Stopped; the message is taken back."
    assert shown[shown.index(f">>> {line}, I said") + 1] == "One."


def test_a_message_that_an_error_stopped_before_its_answer_is_in_the_line_again(tmp_path):
    shown = screen(tmp_path, f"{LONG}\r", ", I said\r", failed=1)
    assert shown[shown.index(f">>> {LONG}") + 1] == "error: It cannot be computed."
    assert shown[shown.index(f">>> {LONG}, I said") + 1] == "One."


def test_an_edited_message_that_was_stopped_is_in_the_line(tmp_path):
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\nprintf {LONG} > "$1"\n')
    editor.chmod(0o700)
    keys = "Hi\r", "/edit\r", ", I said\r"
    shown = screen(tmp_path, *keys, arguments=["--draft", "none"], variables={"VISUAL": str(editor)}, stopped=6)
    assert shown[shown.index(">>> /edit") + 1] == "Stopped; the message is taken back."
    assert shown[shown.index(f">>> {LONG}, I said") + 1] == "One."


def test_it_is_so_in_a_chat_that_goes_on(tmp_path):
    screen(tmp_path, "Hi\r")
    shown = screen(tmp_path, f"{LONG}\r", ", I said\r", arguments=["-C"], stopped=2)
    assert shown[shown.index(f">>> {LONG}, I said") + 1] == "Two."


def killed(folder, message):
    """The options for a chat whose process was killed before it answered `message`."""
    screen(folder, "Hi\r", "/save plans\r")
    file = folder / "DATA" / "specchat" / "sessions" / "plans.jsonl"
    file.write_text(f"{file.read_text()}{json.dumps({'role': 'user', 'content': message, 'at': ''})}\n")
    return ["--session", "plans"]


@pytest.mark.parametrize("first", [(), ("-i", "And?")])
def test_a_message_that_a_killed_process_left_is_in_the_line_again(first, tmp_path):
    shown = screen(tmp_path, " I said\r", arguments=[*killed(tmp_path, "/exit is what"), *first])
    assert shown[shown.index(">>> //exit is what I said") + 1] == "Two."


def test_a_message_that_a_killed_process_left_is_told_by_its_beginning(tmp_path):
    shown = screen(tmp_path, ", I said\r", arguments=killed(tmp_path, LONG))
    assert f"This message was never answered, and is taken back: {'x' * 59}…" in shown
    assert shown[shown.index(f">>> {LONG}, I said") + 1] == "Two."


def test_a_message_that_is_too_long_for_a_line_is_in_none(tmp_path):
    shown = screen(tmp_path, "And?\r", arguments=killed(tmp_path, LONG * 11))
    assert f"This message was never answered, and is taken back: {'x' * 59}…" in shown
    assert shown[shown.index(">>> And?") + 1] == "Two."


def test_what_was_typed_for_files_and_not_the_files_is_in_the_line_again(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text(LONG)
    shown = screen(tmp_path, f"/file {file}\r", " -- Why?\r", stopped=1)
    assert shown[shown.index(f">>> /file {file} -- Why?") + 1] == "One."


def test_what_was_answered_is_in_the_line_no_more(tmp_path):
    shown = screen(tmp_path, f"{LONG}\r", "\r", "And?\r", stopped=1)
    assert shown[shown.index(">>> And?") + 1] == "Two."


@pytest.mark.parametrize(("first", "line"), [(LONG, LONG), (f"/exit {LONG}", f"//exit {LONG}")])
def test_a_prompt_of_the_command_line_that_was_stopped_is_in_the_line_of_the_chat(first, line, tmp_path):
    shown = screen(tmp_path, ", I said\r", arguments=["-i", first], stopped=1)
    assert shown[shown.index(f">>> {line}, I said") + 1] == "One."


def test_the_files_of_the_command_line_are_in_no_line(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text(LONG)
    shown = screen(tmp_path, "And?\r", arguments=["-i", "-f", str(file), "Why?"], stopped=1)
    assert shown[shown.index(">>> And?") + 1] == "One."
