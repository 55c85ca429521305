"""Text that would have a terminal do things, out of models, files and names: nothing but letters arrives there."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from specchat.cli.display.status_line import StatusLine
from specchat.speculative.visible import visible

from ..tiny import TinyModel, write_tiny
from .fakes import World

pytest.importorskip("pexpect")
pytest.importorskip("pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

from .terminal.case import Case  # noqa: E402
from .terminal.recording import LIVE, Recording, record  # noqa: E402

EVIL = (
    "\x1b[31mred \x1b[2J\x1b[1;1H \x1b]0;title\x07 \x1b]52;c;ZXZpbA==\x07 \x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\ "
    "\x1bc \x1bP+q\x1b\\ \x07 \x00 \x7f abc\b\b\bxyz 100\r2 \x9b2J \x9d52;c;eA==\x9c \x85 \x0b \x0c "
    "[red]x[/red] [link=http://evil]y[/link] [/] \\[b] rm \u202egpj.exe\u202c \u2066a\u2069 \u2067b\u2068c "
)
"""Colours, a title, the clipboard, links, C0, C1, overwriting, markup and reading directions."""
NAME = EVIL.replace("/", "_").replace("\x00", "")[:220]
"""The same for a file."""
OURS = re.compile(rb"\x1b\[(?:0|2|31|33|36)?m|\r\x1b\[K|\r\n|\t|" + LIVE.pattern)
"""All control codes that a terminal gets besides the line editor's."""
OBEYED = re.compile(
    rb"\x1b[\]PXc^_]|\x1b\[31m(?!error)|\x07|\x0b|\x0c|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]"
)
"""What neither we nor the line editor ever write."""
READY = b"\x1b[?2004h"
"""The line editor has the terminal."""
ANSWER = EVIL + "and more. " * 12 + EVIL


def harmless(raw: bytes) -> bool:
    """Whether only what we write ourselves would be obeyed."""
    text = OURS.sub(b"", raw).decode()
    return text == visible(text) and "\n" not in text


def run(cases: Sequence[Case], folder: Path) -> list[Recording]:
    recordings = []
    for place, case in enumerate(cases):
        (folder / str(place)).mkdir()
        recordings.append(Recording(case, folder / str(place)))
    record(recordings)
    return recordings


def test_an_answer_is_pictures_on_a_terminal(tmp_path):
    settings = [["--draft", "ngram"], ["--draft", "ngram", "--tint"], ["-q"]]
    sizes = [(each, columns) for each in settings for columns in (80, 40)]
    cases = [Case(answers=[ANSWER], seconds=0.6, columns=columns, arguments=each) for each, columns in sizes]
    for recording in run(cases, tmp_path):
        assert harmless(recording.raw)
        shown = re.sub(rb"\x1b\[\d*m|\r(?=\n)", b"", LIVE.sub(b"", recording.raw)).decode()
        assert shown.startswith(visible(ANSWER) + "\n")


@pytest.mark.parametrize("arguments", [["--draft", "ngram"], ["--tint"], ["--stats"], ["-q"]])
def test_a_pipe_gets_the_answer_byte_for_byte(tmp_path, arguments):
    case = Case(answers=[ANSWER], arguments=arguments)
    done = subprocess.run(
        case.command(tmp_path),
        env=case.environment(tmp_path),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=True,
    )
    assert done.stdout == ANSWER.encode() + b"\n"
    assert b"\x1b" not in done.stderr


def test_without_colours_and_escape_codes_there_are_none(tmp_path):
    text = "Plain words. " * 30
    settings = [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}]
    cases = [Case(answers=[text], seconds=0.6, variables=each, arguments=["--tint"]) for each in settings]
    colourless, dumb, tinted = run(cases, tmp_path)
    assert not re.search(rb"\x1b\[[0-9;]*m", colourless.raw)
    assert LIVE.search(colourless.raw)
    assert b"\x1b" not in dumb.raw
    assert dumb.raw.startswith(text.encode() + b"\r\n")
    assert b"\x1b[2m" in tinted.raw


def test_tint_colours_what_was_guessed_and_nothing_else(tmp_path):
    text = "Plain words. " * 20
    (recording,) = run([Case(answers=[text], seconds=0.6, arguments=["--draft", "ngram", "--tint"])], tmp_path)
    answer = LIVE.sub(b"", recording.raw).partition(b"\r\n")[0].decode()
    guessed = re.findall(r"\x1b\[36m([^\x1b]+)\x1b\[0m", answer)
    assert re.sub(r"\x1b\[(?:36|0)m", "", answer) == text
    print(len("".join(guessed).encode()), recording.truth[-1])
    assert 0 <= len("".join(guessed).encode()) - recording.truth[-1].kept <= 16  # the last round comes behind that
    assert harmless(recording.raw)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A home with models, files, a profile and a session that nobody should trust."""
    home = tmp_path_factory.mktemp("home")
    folder = home / "models"
    folder.mkdir()
    facts = dict.fromkeys(("general.license", "general.size_label"), EVIL)
    model = write_tiny(folder / f"{NAME}.gguf", TinyModel(name=EVIL, metadata=facts))
    other = write_tiny(folder / "other.gguf", TinyModel(name=EVIL, altered=(100, EVIL)))
    raising = "{{ raise_exception('" + EVIL.replace("\x00", "").replace("\\", "\\\\") + "') }}"
    bad = write_tiny(home / "bad.gguf", TinyModel(name=EVIL, template=raising))
    config, sessions = home / "config" / "specchat", home / "data" / "specchat" / "sessions"
    config.mkdir(parents=True)
    sessions.mkdir(parents=True)
    (config / "config.yaml").write_text(json.dumps({"model_folders": [str(folder)]}), "utf-8")
    text = home / f"{NAME}.txt"
    text.write_text(EVIL, "utf-8")
    header = {"format": 1, "started": "2026-01-31T10:00:00", "model": EVIL, "draft": EVIL, "system": EVIL}
    turns = [{"role": role, "content": EVIL, "at": EVIL, "finish_reason": EVIL} for role in ("user", "assistant")]
    (sessions / "chat.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in (header, *turns)), "utf-8")
    raw = os.fsencode(home) + b"/raw\x9b2J\xff.txt"
    variables = {"HOME": home, "XDG_CONFIG_HOME": home / "config", "XDG_DATA_HOME": home / "data"}
    return SimpleNamespace(
        model=model,
        other=other,
        bad=bad,
        text=text,
        raw=os.fsdecode(raw),
        variables={k: str(v) for k, v in variables.items()},
    )


def test_names_and_what_files_say_are_pictures_on_a_terminal(place, tmp_path):
    answer = ["run", "-n", "2", "-t", "1", "-m", place.model]
    commands = [
        ["show", place.model],
        ["show", place.model, "--draft", place.other],
        ["show", place.model, "--json"],
        ["list"],
        ["list", "--json"],
        ["pair", place.model],
        [*answer, "-v", "Hi"],
        [*answer, "-f", place.text, "--chat-template", place.text],
        [*answer, "--each", place.text, "--no-stdin", "Hi"],
        [*answer, "-f", f"{place.text}.not"],
        [*answer, "-f", place.raw],
        [*answer, "--session", NAME, "Hi"],
        ["run", "-m", place.bad, "Hi"],
        ["run", "-n", "2", "-m", str(place.model.with_suffix("")), "Hi"],
        ["run", "--profile", NAME, "Hi"],
        ["session", "show", "chat"],
        ["session", "list"],
        ["session", "export", "chat", "--format", "json"],
        ["session", "show", NAME],
        [NAME],
    ]
    cases = [Case(real=[*map(str, each)], columns=60, variables=place.variables) for each in commands]
    for recording in run(cases, tmp_path):
        assert harmless(recording.raw), (recording.case.real, recording.raw)
        assert b"Traceback" not in recording.raw
        if "list" not in recording.case.real:
            assert re.search(r"␛|\\x1b|\\u001b|\\udc9b", recording.raw.decode()), recording.case.real


def test_a_chat_lets_nothing_through(place, tmp_path):
    """The line editor has codes of its own; those that do harm are not among them."""
    message = EVIL.translate(dict.fromkeys([*range(32), 127]))  # the others would be keys
    keys = [
        (READY, f"\x1b[200~{message}\x1b[201~\r"),
        (READY, "/show\r"),
        (READY, "/system " + message + "\r"),
        (READY, "/system\r"),
        (READY, "/stats\r"),
        (READY, "/load chat\r"),
        (READY, "/regen\r"),
        (READY, "/exit\r"),
    ]
    arguments = ["--draft", "ngram", "-sys", EVIL.replace("\x00", "")]
    case = Case(answers=[ANSWER] * 9, prompt=(), arguments=arguments, keys=keys, variables=place.variables)
    (recording,) = run([case], tmp_path)
    assert recording.code == 0
    assert visible(ANSWER)[:20] in recording.raw.decode()
    assert not OBEYED.search(recording.raw), OBEYED.search(recording.raw)


def test_a_line_of_progress_is_pictures_and_one_row():
    world = World(screen=True)
    StatusLine(world.environment()).show(f"loading {EVIL}")
    assert world.err.startswith("\r\x1b[Kloading ␛[31mred ␛[2J")
    assert harmless(world.err.encode())
    world = World(screen=True)
    StatusLine(world.environment()).show("漢" * 80, "1 s left")
    assert world.err == "\r\x1b[K" + "漢" * 39
