"""Install Python packages into a virtual environment, showing a sign of life while llama.cpp compiles.

usage: install.py FOLDER PIP-ARGUMENT…      (the Makefile calls it; FOLDER is made when it is not there)

What pip says goes to FOLDER/install.log; the end of it is shown when pip fails. Needs nothing but Python.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

PHASES = {
    "Collecting ": "fetching packages",
    "Building wheel for llama": "compiling llama.cpp (about 5 minutes on 2 cores, and only once)",
    "Installing collected": "installing",
}
TAIL = 25


class InstallError(Exception):
    """What stands in the way, in a sentence."""


def main() -> int:
    """Returns the exit status."""
    folder, *arguments = sys.argv[1:]
    try:
        environment = Path(folder)
        check_compiler(environment)
        python = virtual_environment(environment)
        install(python, arguments, environment / "install.log")
    except InstallError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command goes on from here.", file=sys.stderr)
        return 130
    return 0


def check_compiler(environment: Path) -> None:
    """Raise `InstallError` for what pip would only stumble over minutes later."""
    compilers = [*os.environ.get("CXX", "").split()[:1], "c++", "g++", "clang++"]
    compiled = any(environment.glob("lib/*/site-packages/llama_cpp"))
    if not compiled and not any(map(shutil.which, compilers)):
        raise InstallError("llama.cpp is compiled here, which takes a C++ compiler (g++ or clang++): there is none.")


def virtual_environment(folder: Path) -> Path:
    """The Python of a virtual environment in `folder`, which is made, or made again if it does not work."""
    python = folder / "bin" / "python"
    if python.exists() and _output(python, "-m", "pip", "--version").returncode == 0:
        return python
    print(f"making a virtual environment in {folder}", flush=True)
    made = _output(sys.executable, "-m", "venv", "--clear", folder)
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        raise InstallError(f"{made.stdout.strip()}\n{sys.executable} cannot make a virtual environment.")
    return python


def _output(*command: "str | Path") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def install(python: Path, arguments: list[str], log: Path) -> None:
    """Run pip, and tell what it is doing. Raises `InstallError` with the end of the log."""
    print(f"pip install {' '.join(arguments)}   (its output: {log})", flush=True)
    command = [python, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", *arguments]
    with log.open("a", encoding="utf-8") as output:
        pip = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=build_environment())
        try:
            watch(pip, log)
        except KeyboardInterrupt:
            pip.terminate()
            pip.wait()
            raise
    if pip.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        raise InstallError("\n".join([*lines[-TAIL:], "", f"pip failed; all that it said is in {log}."]))


def build_environment() -> dict[str, str]:
    """The environment for pip: compile on all cores, and leave make's own settings out of llama.cpp's build."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    kept = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    return {"CMAKE_BUILD_PARALLEL_LEVEL": str(cores), "PYTHONUNBUFFERED": "1", **kept}


def watch(pip: "subprocess.Popen[bytes]", log: Path) -> None:
    """Until pip ends: one line for each phase, its time counting on a terminal, a line a minute elsewhere."""
    clock = Clock(live=sys.stdout.isatty())
    while pip.poll() is None:
        clock.show(phase(log))
        time.sleep(0.5)
    clock.end()


def phase(log: Path) -> str:
    """What pip is at, by the last telling line of its log."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    found = (name for line in reversed(lines) for mark, name in PHASES.items() if line.strip().startswith(mark))
    return next(found, "starting")


class Clock:
    """Lines such as `compiling llama.cpp … 1:30`."""

    def __init__(self, live: bool) -> None:
        self.live = live
        self.phase = ""
        self.began = self.shown = 0.0

    def show(self, phase: str) -> None:
        """Say what goes on, if it is time to say it."""
        now = time.monotonic()
        if phase != self.phase:
            self.end()
            self.phase, self.began, self.shown = phase, now, 0.0
        if now - self.shown >= (1 if self.live else 60):
            self.shown = now
            self._write("\r" if self.live else "", "" if self.live else "\n")

    def end(self) -> None:
        """Leave the last line of a phase as it should stay."""
        if self.phase and self.live:
            self._write("\r", "\n")

    def _write(self, before: str, after: str) -> None:
        minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
        print(f"{before}  {self.phase} … {minutes}:{seconds:02}", end=after, flush=True)


if __name__ == "__main__":
    sys.exit(main())
