"""tmux, a terminal that breaks lines anew when its size changes."""

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Tmux:
    """A server of its own, with a window for each command; it ends with the `with` block."""

    folder: Path

    def __enter__(self) -> "Tmux":
        return self

    def __exit__(self, *_: object) -> None:
        self._do("kill-server")

    def start(
        self, name: str, command: Sequence[str], columns: int, rows: int, variables: Mapping[str, str] | None = None
    ) -> None:
        """Run a command in a window; what it wrote stays there after its end."""
        settings = [f"{key}={value}" for key, value in (variables or {}).items()]
        tell = shlex.join([*self._tmux, "wait-for", "-S", name])
        line = f"{shlex.join(['env', *settings, *command])}; {tell}; sleep {_PATIENCE}"
        self._do("new-session", "-d", "-s", name, "-x", str(columns), "-y", str(rows), line)

    def wait(self, name: str) -> list[str]:
        """Wait for the end of a command; the lines that it wrote, as they were before they were broken into rows."""
        self._do("wait-for", name)
        return self.lines(name)

    def lines(self, name: str) -> list[str]:
        """What is in a window and above it by now."""
        return [line.rstrip() for line in self._do("capture-pane", "-p", "-J", "-S", "-", "-t", name).splitlines()]

    def until(self, name: str, happened: Callable[[list[str]], bool]) -> None:
        """Wait for it."""
        deadline = time.monotonic() + _PATIENCE
        while not happened(self.lines(name)):
            assert time.monotonic() < deadline, self.lines(name)
            time.sleep(0.02)

    def resize(self, name: str, columns: int, rows: int) -> None:
        """Make a window another size."""
        self._do("resize-window", "-t", name, "-x", str(columns), "-y", str(rows))

    @property
    def _tmux(self) -> list[str]:
        return ["tmux", "-u", "-f", os.devnull, "-S", str(self.folder / "tmux")]

    def _do(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments],
            capture_output=True,
            encoding="utf-8",
            check=True,
            timeout=_PATIENCE,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
        return done.stdout
