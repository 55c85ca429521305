"""The world around a command: streams, the terminal, the models. Tests put something else in its place."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, BinaryIO, TextIO

from specchat.speculative.devices import Device
from specchat.speculative.errors import UsageError

from .unheard import forgiving

if TYPE_CHECKING:
    from .models.loading import PairLoader, Verifier

_FALLBACK_COLUMNS = 80
_CACHES = "Library/Caches" if sys.platform == "darwin" else ".cache"
_CONFIGS = "Library/Application Support" if sys.platform == "darwin" else ".config"
_DATA = "Library/Application Support" if sys.platform == "darwin" else ".local/share"


@dataclass(slots=True, kw_only=True)
class Environment:
    """What commands read, write and load with.

    `stdin` is None when it is closed. `columns` is the width of the terminal, `read_line` asks a person for a line
    (it raises `EOFError` at the end and `KeyboardInterrupt` for Ctrl-C), and `take_terminal` makes the terminal the
    standard input after something else was.
    """

    stdin: BinaryIO | None
    stdout: TextIO
    stderr: TextIO
    stdin_is_terminal: bool
    stdout_is_terminal: bool
    stderr_is_terminal: bool
    variables: Mapping[str, str]
    columns: Callable[[], int]
    read_line: Callable[[str], str]
    take_terminal: Callable[[], None]
    load_pair: "PairLoader"
    verify_target: "Verifier"
    devices: Callable[[], Sequence[Device]]
    """What can be computed on, main memory among it; nothing where that is not known."""
    reach: Callable[[Sequence[str]], None] = lambda endpoints: None
    """Let the devices of the servers at these endpoints be among the devices. Raises `ServerError`."""
    home: Callable[[], Path] = Path.home
    """The home folder. Raises `RuntimeError` where there is none."""
    system: Path = Path("/")
    """Where the folders of the system are, and in them those of services."""
    now: Callable[[], float] = perf_counter
    today: Callable[[], date] = date.today
    patience: float = 2.0
    """Seconds of waiting for standard input before that is mentioned."""
    edits_lines: Callable[[], bool] = lambda: False
    """Whether a line can be edited with keys: standard input and output are terminals that know escape codes."""
    count_resizes: Callable[[], Callable[[], int]] = lambda: lambda: 0
    """Begin to count how often the terminal is resized, and return what says it: it may be as wide as before again."""
    color: str = "auto"
    """When to colour: "auto", "always" or "never"."""
    told: set[str] = field(default_factory=set)
    """Warnings that need not be shown again."""

    @property
    def cache_folder(self) -> Path | None:
        """Where to keep what can be found out again; None where there is no place for that."""
        return self._folder("XDG_CACHE_HOME", "LOCALAPPDATA", _CACHES)

    @property
    def config_folder(self) -> Path | None:
        """Where a person keeps settings and profiles; None where there is no place for that."""
        return self._folder("XDG_CONFIG_HOME", "APPDATA", _CONFIGS)

    @property
    def data_folder(self) -> Path | None:
        """Where to keep what a person made and would miss; None where there is no place for that."""
        return self._folder("XDG_DATA_HOME", "LOCALAPPDATA", _DATA)

    def _folder(self, variable: str, on_windows: str, in_home: str) -> Path | None:
        named = (Path(self.variables.get(name, "")) for name in (variable, on_windows))
        try:
            # the XDG specification: relative paths are to be ignored
            folder = next(filter(Path.is_absolute, named), None) or self.home() / in_home
        except RuntimeError:
            return None
        return folder / "specchat"

    @property
    def mirror(self) -> str:
        """The address that stands in for the hub; empty where none does."""
        return self.variables.get("HF_ENDPOINT", "")

    @property
    def width(self) -> int:
        """The columns of a table on standard output."""
        return self.columns() if self.stdout_is_terminal else _FALLBACK_COLUMNS

    @property
    def room(self) -> int | None:
        """The columns that lines on standard output may take; None where they may take any."""
        return self.columns() if self.stdout_is_terminal else None

    @property
    def dumb(self) -> bool:
        """Whether a terminal knows no escape codes."""
        return self.variables.get("TERM") == "dumb"

    @property
    def colors(self) -> bool:
        """Whether a terminal may be coloured (https://no-color.org)."""
        if self.color != "auto":
            return self.color == "always"
        return not self.variables.get("NO_COLOR") and not self.dumb

    def colors_on(self, terminal: bool) -> bool:
        """Whether a stream may be coloured, which is a `terminal` or not."""
        return self.colors and (terminal or self.color == "always")


def process_environment(
    load_pair: "PairLoader",
    verify_target: "Verifier",
    devices: Callable[[], Sequence[Device]],
    reach: Callable[[Sequence[str]], None] = lambda endpoints: None,
) -> Environment:
    """The environment of this process; its streams speak UTF-8 from now on, whatever the locale."""
    if sys.stdout is None:
        sys.exit("error: Standard output is closed.\nhint: Redirect it to a file, or to /dev/null.")
    stdout = _utf8(sys.stdout)
    stderr = sys.stderr = forgiving(sys.stderr)
    return Environment(
        stdin=sys.stdin.buffer if sys.stdin else None,
        stdout=stdout,
        stderr=stderr,
        stdin_is_terminal=bool(sys.stdin) and sys.stdin.isatty(),
        stdout_is_terminal=stdout.isatty(),
        stderr_is_terminal=stderr.isatty(),
        variables=os.environ,
        columns=lambda: _columns(stderr),
        read_line=lambda prompt: _read_line(prompt, stderr),
        take_terminal=_take_terminal,
        load_pair=load_pair,
        verify_target=verify_target,
        devices=devices,
        reach=reach,
        edits_lines=_edits_lines,
        count_resizes=_count_resizes,
    )


def _utf8(stream: TextIO) -> TextIO:
    stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[attr-defined]
    return stream


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _FALLBACK_COLUMNS
    except OSError:
        return _FALLBACK_COLUMNS


def _count_resizes() -> Callable[[], int]:
    count = 0

    def resized(*_: object) -> None:
        nonlocal count
        count += 1

    if hasattr(signal, "SIGWINCH") and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGWINCH, resized)
    return lambda: count


def _edits_lines() -> bool:
    terminals = bool(sys.stdin) and sys.stdin.isatty() and sys.stdout.isatty()
    return terminals and os.environ.get("TERM") != "dumb"


def _read_line(prompt: str, stderr: TextIO) -> str:
    """A line from the terminal, edited with readline where there is one."""
    if sys.stdin.errors != "replace":  # once: after the first line is read it is too late
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    if sys.stdin.isatty() and sys.stdout.isatty():
        if os.environ.get("TERM") != "dumb":
            _start_line_editor()
        return input(prompt)
    stderr.write(prompt)
    stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _start_line_editor() -> None:
    try:
        import readline  # input() uses it once it is imported
    except ImportError:
        return
    readline.parse_and_bind("set enable-bracketed-paste on")  # several pasted lines are one message
    for setting in ("convert-meta off", "input-meta on", "output-meta on"):  # letters, under any locale
        readline.parse_and_bind(f"set {setting}")


def _take_terminal() -> None:
    path = "CONIN$" if os.name == "nt" else "/dev/tty"
    try:
        terminal = os.open(path, os.O_RDWR)
    except OSError as error:
        raise UsageError("There is no terminal to chat on.", "Leave -i out.") from error
    os.dup2(terminal, 0)
    os.close(terminal)
    sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
