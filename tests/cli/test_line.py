"""The line, key by key: what comes of it, and what a real terminal shows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from specchat.cli.chat.line.completions import Completions
from specchat.cli.chat.line.history import History
from specchat.cli.chat.line.line import Line, PlainLine, accept, open_line

from .fakes import World

ENTER, ALT_ENTER, UP, LEFT, RIGHT, BACKSPACE, DELETE = "\r", "\x1b\r", "\x1b[A", "\x1b[D", "\x1b[C", "\x7f", "\x1b[3~"
CTRL_A, CTRL_C, CTRL_D, CTRL_R, CTRL_Y, TAB, EDITOR = "\x01", "\x03", "\x04", "\x12", "\x19", "\t", "\x18\x05"
FENCE = '"""'


def paste(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


@dataclass
class Typist:
    """Types on a line without a screen; `shown` is what stays on it."""

    history: Path | None = None
    completions: Completions = field(default_factory=Completions)
    world: World = field(default_factory=lambda: World(screen=True))
    line: Line = field(init=False)

    def __post_init__(self) -> None:
        self.line = Line(self.world.environment(), self.completions, History(self.history))

    @property
    def shown(self) -> str:
        return self.world.out

    def type(self, keys: str, refuse: Callable[[str], str | None] = accept) -> str:
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            pipe.send_text(keys)
            return self.line.read(">>> ", refuse)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("Hi" + ENTER, "Hi"),
        ("Hi\n", "Hi"),
        ("one" + ALT_ENTER + "two" + ENTER, "one\ntwo"),
        (paste("one\n\n\ntwo\n") + ENTER, "one\n\n\ntwo\n"),
        (paste("one\r\ntwo\rthree") + " four" + ENTER, "one\ntwo\nthree four"),
        (paste("a\tb\x00\x1b[31mc\x07") + ENTER, "a\tb\x00\x1b[31mc\x07"),
        (paste("/exit\nand more") + ENTER, "/exit\nand more"),
        ("\x1b[200~" + "x" * 30_000 + "\x1b[201~" + ENTER, "x" * 30_000),
        (f"{FENCE}one{ENTER}two{ENTER}{ENTER}three{FENCE}{ENTER}", "one\ntwo\n\nthree"),
        (f"{FENCE}{ENTER}/exit{ENTER}{FENCE}{ENTER}", "/exit"),
        (f"{FENCE}one{FENCE} {ENTER}", "one"),
        (f"{FENCE}a{FENCE} b{ENTER}c{FENCE}{ENTER}", f"a{FENCE} b\nc"),
        (f"a {FENCE}{ENTER}", f"a {FENCE}"),
        (paste(f"{FENCE}Docs.{FENCE}\ncode") + ENTER, f"{FENCE}Docs.{FENCE}\ncode"),
        (paste(f"{FENCE}Docs.") + ENTER, f"{FENCE}Docs."),
        (FENCE + ENTER + paste(f"a = {FENCE}b{FENCE}") + ENTER + FENCE + ENTER, f"a = {FENCE}b{FENCE}"),
        ("cafe\u0301" + BACKSPACE + ENTER, "caf"),
        ("a👨\u200d👩\u200d👧b" + LEFT + LEFT + "-" + RIGHT + "+" + ENTER, "a-👨\u200d👩\u200d👧+b"),
        ("🇩🇪日本" + CTRL_A + DELETE + RIGHT + BACKSPACE + ENTER, "本"),
        ("שלום" + LEFT + BACKSPACE + ENTER, "שלם"),
        ("one" + ALT_ENTER + BACKSPACE + "two" + ENTER, "onetwo"),
        ("one" + ALT_ENTER + LEFT + DELETE + "two" + ENTER, "onetwo"),
        ("away" + CTRL_C + "Hi" + ENTER, "Hi"),
        ("away" + CTRL_C + CTRL_Y + ENTER, "away"),
        ("ab" + LEFT + CTRL_D + ENTER, "a"),
    ],
)
def test_keys_make_messages(keys, message):
    assert Typist().type(keys) == message


VI = {
    "ac\x1bib" + ENTER: "abc",
    "one\x1bdditwo" + ENTER: "two",
    'one\x1b"api"' + ENTER: 'on"e',
    "ab\x1b" + BACKSPACE + "x" + ENTER: "b",
    "away\x1b" + CTRL_C + "ix" + ENTER: "ix",
    "one\x1botwo" + ENTER: "one\ntwo",
    "one\x1b" + ENTER: "one",
}


@pytest.mark.parametrize("keys", VI)
def test_who_has_vi_in_readline_has_it_here(keys, tmp_path):
    (tmp_path / "inputrc").write_text("set editing-mode emacs\n# set editing-mode emacs\n\tSet editing-mode VI \n")
    typist = Typist(world=World(screen=True, variables={"INPUTRC": str(tmp_path / "inputrc")}))
    assert typist.type(keys) == VI[keys]


@pytest.mark.parametrize("inputrc", ["set editing-mode vi\nset editing-mode emacs\n", "#set editing-mode vi\n", None])
def test_who_has_not_has_the_keys_of_emacs(inputrc, tmp_path):
    if inputrc is not None:
        (tmp_path / ".inputrc").write_text(inputrc)
    typist = Typist(world=World(screen=True, home=lambda: tmp_path))
    assert typist.type("bc" + CTRL_A + "a" + ENTER) == "abc"


def test_what_was_typed_stays_once_with_its_prompt():
    typist = Typist()
    typist.type("one" + ALT_ENTER + "two" + ENTER)
    typist.type(paste("\x1b]0;title\x07") + ENTER)
    assert typist.shown == ">>> one\n... two\n>>> ␛]0;title␇\n"


def test_bytes_that_are_no_text_become_marks(tmp_path):
    typist = Typist(tmp_path / "h" / "f")
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_bytes(b"a\xffb\r")
        assert typist.line.read(">>> ") == "a\ufffdb"


def test_ctrl_d_on_an_empty_line_and_a_closed_terminal_end_the_input():
    typist = Typist()
    with pytest.raises(EOFError):
        typist.type(CTRL_D)
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.close()
        with pytest.raises(EOFError):
            typist.line.read(">>> ")
    assert typist.shown == ">>> >>> "


def test_ctrl_c_on_an_empty_line_interrupts():
    typist = Typist()
    with pytest.raises(KeyboardInterrupt):
        typist.type("half" + CTRL_C + CTRL_C)
    assert typist.shown == ">>> "


def test_what_is_refused_stays_in_the_line():
    asked = []

    def refuse(text: str) -> str | None:
        asked.append(text)
        return "Too long." if len(text) > 3 else None

    typist = Typist()
    assert typist.type("long" + ENTER + BACKSPACE + ENTER, refuse) == "lon"
    assert asked == ["long", "lon"]
    assert typist.type(f"{FENCE}ab{FENCE}{ENTER}", refuse) == "ab"


def test_tab_puts_in_what_there_is_no_doubt_about(tmp_path, monkeypatch):
    (tmp_path / "it's here.txt").touch()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    known = Completions(
        commands={"/exit": "leaves", "/explain": "x", "/file": "f"},
        words={"/model": lambda: ["big.gguf"]},
        before_files={"/file": ("",)},
    )

    def typed(keys: str) -> str:
        return Typist(completions=known).type(keys)

    assert typed("/fi" + TAB + ENTER) == "/file"
    assert typed("/e" + TAB + "p" + ENTER) == "/exp"  # what they have in common
    assert typed("/model b" + TAB + ENTER) == "/model big.gguf"
    assert typed("/file it" + TAB + ENTER) == '/file "it\'s here.txt"'
    assert typed("/file o" + TAB + ENTER) == "/file other/"
    assert typed("no" + TAB + ENTER) == "no"


def test_messages_come_back_also_in_the_next_chat(tmp_path):
    path = tmp_path / "data" / "history" / "chat.jsonl"
    first = Typist(path)
    for keys in ("one", paste("two\nlines"), f"{FENCE}fenced{FENCE}", "fenced", "  "):
        first.type(keys + ENTER)
    assert first.type(UP + UP + UP + ENTER) == "two\nlines"  # past an empty line and the doubled one
    second = Typist(path)
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(CTRL_R + "on" + ENTER + ENTER)
        assert second.line.read(">>> ") == "one"
    assert History(path).entries() == ["one", "two\nlines", "fenced", "two\nlines", "one"]


def test_a_plain_line_is_read_where_nothing_can_be_edited(tmp_path):
    world = World(variables={"XDG_DATA_HOME": str(tmp_path)})
    line = open_line(world.environment(lambda prompt: prompt + "typed"), Completions())
    assert isinstance(line, PlainLine)
    assert line.read("> ", lambda text: "never asked") == "> typed"
    assert list(tmp_path.iterdir()) == []
