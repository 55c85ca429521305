"""What the line shows on a real terminal."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from specchat.cli.chat.line.erasing import reflows, rows_above

pexpect = pytest.importorskip("pexpect")
pyte = pytest.importorskip("pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")

PROGRAM = """
import json, sys
from specchat.cli.environment import process_environment
from specchat.cli.chat.line.completions import Completions
from specchat.cli.chat.line.line import open_line

env = process_environment(None, None, None)
commands = {"/exit": "leaves", "/explain": "says why the text is what it is and not another", "/file": "reads a file"}
line = open_line(env, Completions(commands=commands))
print(*sys.argv[2:], "ready to read", sep="\\n")
while True:
    try:
        text = line.read(">>> ", lambda text: "That is too long:\\n99 tokens." if "long" in text else None)
    except EOFError:
        break
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(json.dumps(text) + "\\n")
    print("so it is")
"""


class Screen(pyte.HistoryScreen):  # type: ignore[misc]
    """One that keeps what is cleared from its top down, as tmux does."""

    def erase_in_display(self, how: int = 0, *args: object, **kwargs: object) -> None:
        if how == 0 and (self.cursor.x, self.cursor.y) == (0, 0):
            for y, shown in enumerate(self.display):
                if shown.strip():
                    self.history.top.append(self.buffer[y].copy())
        super().erase_in_display(how, *args, **kwargs)


class Terminal:
    """A process that reads lines, and a terminal that shows what it does."""

    def __init__(self, folder: Path, columns: int, rows: int = 12, shell: str = '"$@"', **variables: str) -> None:
        self.received = folder / "received"
        self.received.touch()
        self.screen = Screen(columns, rows, history=10_000, ratio=0.5)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        known = {**os.environ, "XDG_DATA_HOME": str(folder), "TERM": "xterm", "NO_COLOR": "", **variables}
        self.process = pexpect.spawn(
            "sh",
            ["-mc", shell, "sh", sys.executable, "-c", PROGRAM, str(self.received)],
            dimensions=(rows, columns),
            env=known,
            echo=False,
        )
        self.process.delaybeforesend = None
        self.until(lambda: b"\x1b[?2004h" in self.raw)

    @property
    def lines(self) -> list[str]:
        """Everything that is on the screen and above it, without empty lines at the end."""
        above = ["".join(row[x].data for x in range(self.screen.columns)) for row in self.screen.history.top]
        lines = [line.rstrip() for line in [*above, *self.screen.display]]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def messages(self) -> list[str]:
        return [json.loads(line) for line in self.received.read_text(encoding="utf-8").splitlines()]

    def type(self, keys: str) -> None:
        self.process.send(keys.encode())

    def until(self, happened: Callable[[], bool]) -> None:
        """Wait for it while the screen is drawn."""
        deadline = time.monotonic() + 20
        while not happened():
            assert time.monotonic() < deadline, (self.lines, self.raw[-2000:])
            self._draw(0.1)

    def rests(self) -> list[str]:
        """The lines once nothing more is drawn."""
        while self._draw(0.3):
            pass
        return self.lines

    def resize(self, columns: int) -> None:
        self.rests()
        self.screen.resize(columns=columns)
        self.process.setwinsize(self.screen.lines, columns)

    def _draw(self, patience: float) -> bool:
        try:
            data = self.process.read_nonblocking(65536, patience)
        except pexpect.TIMEOUT:
            return False
        except pexpect.EOF:
            return False
        self.raw += data
        self.stream.feed(data)
        return True


@pytest.fixture
def start(tmp_path) -> Iterator[Callable[..., Terminal]]:
    started: list[Terminal] = []

    def start(columns: int = 80, **settings: object) -> Terminal:
        started.append(Terminal(tmp_path, columns, **settings))
        return started[-1]

    yield start
    for terminal in started:
        terminal.process.close(force=True)


@pytest.mark.parametrize("columns", [80, 40])
def test_a_paste_of_200_lines_is_one_message_and_stays_once(start, columns):
    terminal = start(columns)
    text = "\n".join("" if number % 7 == 0 else f"line {number}" for number in range(1, 201))
    terminal.type(f"\x1b[200~{text}\x1b[201~")
    terminal.until(lambda: any("line 200" in line for line in terminal.lines))
    assert terminal.messages == []
    terminal.type("\r")
    terminal.until(lambda: "so it is" in terminal.lines)
    assert terminal.messages == [text]
    first, *others = text.split("\n")
    shown = [f">>> {first}", *(f"... {line}".rstrip() for line in others)]
    assert terminal.rests() == ["ready to read", *shown, "so it is", ">>>"]


@pytest.mark.parametrize("columns", [80, 40])
def test_a_long_line_is_wrapped_and_stays_once(start, columns):
    terminal = start(columns)
    text = "0123456789" * 20
    for count, size in enumerate((7, 50, 200), start=1):
        terminal.type(text[:size] + "\r")
        terminal.until(lambda count=count: len(terminal.messages) == count)
    everything = "".join(line for line in terminal.rests() if not line.startswith(("so", "ready")))
    assert everything == f">>> {text[:7]}>>> {text[:50]}>>> {text}>>>"


@pytest.mark.parametrize("columns", [80, 40])
def test_letters_of_all_widths_stand_where_they_belong(start, columns):
    terminal = start(columns)
    terminal.type("日本語 é שלום 🙂")
    terminal.until(lambda: "🙂" in terminal.lines[-1])
    assert terminal.screen.cursor.x == 4 + 6 + 1 + 1 + 1 + 4 + 1 + 2
    terminal.type("\x1b[D" * 7 + "\x7f" + "本\r")
    terminal.until(lambda: bool(terminal.messages))
    assert terminal.messages == ["日本語 本 שלום 🙂"]


def test_what_turns_the_reading_direction_around_is_shown_and_not_obeyed(start):
    terminal = start()
    text = "rm \u202egpj.exe\u202c"
    shown = ">>> rm <U+202E>gpj.exe<U+202C>"
    terminal.type(f"\x1b[200~{text}\x1b[201~")
    terminal.until(lambda: terminal.lines[-1] == shown)
    assert terminal.screen.cursor.x == len(shown)
    terminal.type("\x1b[D" * 9 + "a")
    terminal.until(
        lambda: "<U+202E>a" in terminal.lines[-1] or "agpj" in terminal.lines[-1] or "a<U" in terminal.lines[-1]
    )
    assert terminal.rests()[-1] == ">>> rm a<U+202E>gpj.exe<U+202C>"
    terminal.type("\r")
    terminal.until(lambda: bool(terminal.messages))
    assert terminal.messages == ["rm a" + text[3:]]
    assert "\u202e".encode() not in terminal.raw


@pytest.mark.parametrize("columns", [80, 40])
def test_what_is_refused_is_said_in_one_line_below_until_the_next_key(start, columns):
    terminal = start(columns)
    terminal.type("too long\r")
    terminal.until(lambda: "99 tokens" in terminal.lines[-1])
    assert terminal.rests() == ["ready to read", ">>> too long", "That is too long:␊99 tokens."]
    terminal.type("\x1b[D")
    terminal.until(lambda: "99 tokens" not in terminal.lines[-1])
    assert terminal.rests() == ["ready to read", ">>> too long"]
    terminal.type("\x7f\x7f\x7f\r")
    terminal.until(lambda: bool(terminal.messages))
    assert terminal.messages == ["too g"]


@pytest.mark.parametrize("columns", [80, 40])
def test_nothing_pops_up_before_tab_and_nothing_of_the_menu_stays(start, columns):
    terminal = start(columns)
    terminal.type("/ex")
    terminal.until(lambda: terminal.lines[-1] == ">>> /ex")
    assert terminal.rests() == ["ready to read", ">>> /ex"]
    terminal.type("\t")
    terminal.until(lambda: any("leaves" in line for line in terminal.lines))
    assert "/explain" in "".join(terminal.rests())
    terminal.type("\t\r")
    terminal.until(lambda: terminal.rests()[-1] in (">>> /exit", ">>> /explain"))
    terminal.type("\r")
    terminal.until(lambda: bool(terminal.messages))
    assert terminal.rests() == ["ready to read", f">>> {terminal.messages[0]}", "so it is", ">>>"]


@pytest.mark.parametrize(("before", "after"), [(80, 40), (40, 80)])
def test_a_resize_leaves_one_prompt_with_all_that_was_typed(start, before, after):
    terminal = start(before, TERM="linux")  # a terminal that cuts off what it has no room for, as pyte does
    text = "abcdefghij" * 10
    terminal.type(text)
    terminal.until(lambda: text in "".join(terminal.lines))
    terminal.resize(after)
    terminal.until(lambda: f">>> {text}"[:after] in terminal.lines)
    terminal.type("!")
    terminal.until(lambda: "!" in terminal.lines[-1])
    assert "".join(terminal.rests()) == f"ready to read>>> {text}!"


@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux")
def test_a_terminal_that_breaks_lines_anew_shows_what_was_typed_once(tmp_path):
    def tmux(*arguments: str) -> str:
        command = ["tmux", "-f", os.devnull, "-S", str(tmp_path / "tmux"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def shows(text: str) -> bool:
        until = time.monotonic() + 10
        while "".join(tmux("capture-pane", "-p", "-S", "-").splitlines()) != text:
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "received"), *"123456"]
    variables = ["env", f"XDG_DATA_HOME={tmp_path}", f"PYTHONPATH={os.environ.get('PYTHONPATH', '')}"]
    tmux("new-session", "-d", "-x", "80", "-y", "12", shlex.join([*variables, *command]))
    try:
        assert shows("123456ready to read>>>")  # tmux puts the first lines away when others get longer
        text = "abcdefghij" * 15
        tmux("send-keys", text)
        assert shows(f"123456ready to read>>> {text}")
        for columns in (40, 80, 61):
            tmux("resize-window", "-x", str(columns))
            time.sleep(0.7)  # what was there before is not what comes of it
            assert shows(f"123456ready to read>>> {text}"), columns
    finally:
        tmux("kill-server")


def test_rows_are_counted_as_a_narrower_terminal_breaks_them():
    assert rows_above([80, 0, 40, 41], 39, 40) == 2 + 1 + 1 + 2
    assert rows_above([], 79, 40) == 1
    assert reflows({"TERM": "xterm-256color"})
    assert not reflows({"TERM": "linux"})
    assert not reflows({"TERM": "xterm", "XTERM_VERSION": "XTerm(390)"})
    assert reflows({"TERM": "screen"})  # tmux
    assert not reflows({"TERM": "screen", "STY": "1.x"})


def test_without_colours_there_are_none_and_never_a_mouse_or_a_full_screen(start):
    terminal = start(NO_COLOR="1")
    terminal.type("long\r")
    terminal.until(lambda: "tokens" in terminal.lines[-1])
    terminal.type("\x03/e\t\t\r\r")
    terminal.until(lambda: bool(terminal.messages))
    codes = set()
    for part in terminal.raw.split(b"\x1b[")[1:]:
        letters = part.lstrip(b"0123456789;?")
        code = part[: len(part) - len(letters)]
        assert code not in (b"?1000", b"?1002", b"?1003", b"?1006", b"?1049", b"?47")
        assert code + letters[:1] != b"6n"  # the terminal is asked nothing
        if letters.startswith(b"m"):
            codes.update(code.split(b";"))
    assert codes <= {b"", b"0", b"7", b"1", b"4"}


def test_ctrl_z_suspends_and_what_was_typed_is_there_afterwards(start):
    terminal = start(shell='"$@"; echo suspended; fg >/dev/null')
    terminal.type("half")
    terminal.until(lambda: terminal.lines[-1] == ">>> half")
    terminal.type("\x1a")
    terminal.until(lambda: "suspended" in terminal.lines and terminal.lines[-1] == ">>> half")
    terminal.type(" done\r")
    terminal.until(lambda: bool(terminal.messages))
    assert terminal.messages == ["half done"]
    assert terminal.rests()[-3:] == [">>> half done", "so it is", ">>>"]


def test_ctrl_x_ctrl_e_edits_the_line_elsewhere_and_says_when_it_cannot(start, tmp_path):
    script = tmp_path / "ed.py"
    script.write_text("import sys; open(sys.argv[1], 'a').write(' and\\nmore\\n')")
    terminal = start(VISUAL=shlex.join([sys.executable, str(script)]))
    terminal.type("this\x18\x05")
    terminal.until(lambda: terminal.lines[-1] == "... more")
    assert terminal.rests() == ["ready to read", ">>> this and", "... more"]
    script.write_text("raise SystemExit(3)")
    terminal.type("\x18\x05")
    terminal.until(lambda: "code 3" in terminal.lines[-1])
    terminal.type("\r")
    terminal.until(lambda: bool(terminal.messages))
    assert terminal.messages == ["this and\nmore"]


def test_a_terminal_that_is_gone_ends_the_input(start):
    terminal = start()
    terminal.process.sendeof()
    terminal.until(lambda: not terminal.process.isalive())
    assert terminal.process.exitstatus == 0


def test_the_history_is_there_for_its_owner_alone(start, tmp_path):
    terminal = start()
    terminal.type("secret\r")
    terminal.until(lambda: bool(terminal.messages))
    terminal.rests()
    files = [path for path in (tmp_path / "specchat").rglob("*") if path.is_file()]
    assert files
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert {path.parent.stat().st_mode & 0o777 for path in files} == {0o700}
