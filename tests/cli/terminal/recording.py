"""The command line on a pseudo-terminal of its own, from its start to its end."""

import contextlib
import os
import re
import select
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pexpect
import pyte

from .case import Case, Resize
from .emulator import Screen
from .figures import FIGURES, Boundary, Update, truth_in, update_in

_PATIENCE = 60
LIVE = re.compile(
    rb"\x1b\[J\x1bD\x1b\[A\x1b7\x1b\[B\r\x1b\[\?7l(?:\x1b\[2m)?[^\x00-\x1f\x7f]*(?:\x1b\[0m)?\x1b\[\?7h\x1b8|\x1b\[J"
)
"""All that a live line may write."""


@dataclass(slots=True)
class Recording:
    """What came of a case: all bytes, where in them the terminal was another, the screen, and what was seen on it."""

    case: Case
    folder: Path
    raw: bytes = b""
    resized: list[tuple[int, Resize]] = field(default_factory=list)
    updates: list[Update] = field(default_factory=list)
    most_figures: int = 0
    """In how many rows there were figures at once."""
    code: int | None = None
    screen: Screen = field(init=False)
    _stream: pyte.ByteStream = field(init=False)
    _process: Any = None
    _waiting: list[Resize] = field(default_factory=list)
    _keys: list[tuple[bytes, str]] = field(default_factory=list)
    _answered: int = 0

    def __post_init__(self) -> None:
        self.screen = Screen(self.case.columns, self.case.rows)
        self._stream = pyte.ByteStream(self.screen)

    def start(self) -> None:
        """Start the process."""
        program, *arguments = self.case.command(self.folder)
        self._process = pexpect.spawn(
            program,
            arguments,
            dimensions=(self.case.rows, self.case.columns),
            env=self.case.environment(self.folder),
            cwd=str(self.folder),
        )
        self._process.delaybeforesend = None
        self._waiting, self._keys = list(self.case.resizes), list(self.case.keys)

    def fileno(self) -> int:
        """Where its output can be waited for."""
        return int(self._process.child_fd)

    def read(self) -> bool:
        """Take what there is of its output; False at the end."""
        try:
            self._take(self._process.read_nonblocking(65536, 0))
        except pexpect.EOF:
            self._process.close()
            status = self._process
            self.code = status.exitstatus if status.signalstatus is None else -status.signalstatus
            return False
        while self._waiting and len(self.updates) >= self._waiting[0].updates:
            self._resize(self._waiting.pop(0))
        while self._keys and (place := self.raw.find(self._keys[0][0], self._answered)) >= 0:
            self._answered = place + len(self._keys[0][0])
            self._process.send(self._keys.pop(0)[1])
        return True

    @property
    def truth(self) -> list[Boundary]:
        """What was true at the end of each round."""
        return truth_in(self.folder / "truth.json")

    def _resize(self, resize: Resize) -> None:
        """Resize the terminal between two writes: while the process is stopped, and has nothing on its way."""
        os.kill(self._process.pid, signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)
        with contextlib.suppress(pexpect.TIMEOUT):
            while True:
                self._take(self._process.read_nonblocking(65536, 0.1))
        self.resized.append((len(self.raw), resize))
        self.screen.resize(resize.rows, resize.columns)
        self._process.setwinsize(resize.rows, resize.columns)
        os.kill(self._process.pid, signal.SIGCONT)

    def _take(self, data: bytes) -> None:
        """Show it, and look at the screen whenever something was drawn and the cursor is back."""
        self.raw += data
        for part in re.split(rb"(?<=\x1b8)", data):
            self._stream.feed(part)
            if part.endswith(b"\x1b8"):
                self._look()

    def _look(self) -> None:
        shown = [row for row in self.screen.below if FIGURES.search(row)]
        self.most_figures = max(self.most_figures, len(shown))
        if len(shown) == 1:
            update = update_in(shown[0])
            if update not in self.updates[-1:]:
                self.updates.append(update)


def record(recordings: Sequence[Recording], at_once: int = 6) -> None:
    """Let them all run to their ends, some side by side: most of it is waiting."""
    coming, running, deadline = list(recordings), list[Recording](), time.monotonic() + _PATIENCE
    while coming or running:
        while coming and len(running) < at_once:
            coming[0].start()
            running.append(coming.pop(0))
        assert time.monotonic() < deadline, [each.raw[-1000:] for each in running]
        time.sleep(0.01)  # more than a letter is to be read at a time
        for each in select.select(running, [], [], 1)[0]:
            if not each.read():
                running.remove(each)
                deadline = time.monotonic() + _PATIENCE
