"""Completion by Tab: what is offered, and in real shells what becomes of the line."""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from specchat.cli.app import COMMANDS

from ..profiles.stores.layouts import hub_file, ollama_model
from .fakes import World

NAMES = ["user/big-GGUF:Q4_K_M", "user/small-GGUF:Q8_0", "tiny:1m"]


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """Models, files, sessions and profiles with names that shells have to quote."""
    home: Path = tmp_path_factory.mktemp("person") / "home"
    hub = home / ".cache/huggingface/hub"
    hub_file(hub, "user/big-GGUF", "big-Q4_K_M.gguf", b"big")
    hub_file(hub, "user/small-GGUF", "small-Q8_0.gguf", b"small")
    ollama_model(home / ".ollama/models", "tiny/1m", b"tiny")
    sessions = home / ".local/share/specchat/sessions"
    sessions.mkdir(parents=True)
    (sessions / "first-chat.jsonl").write_text("")
    profiles = home / ".config/specchat/profiles"
    profiles.mkdir(parents=True)
    (profiles / "her $1.yaml").write_text("target: x.gguf")
    work = home / "work"
    for name in ("my models/it's 7B.gguf", "my models/notes.txt", "own.yaml", "question.txt"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("")
    return home


@dataclass
class Typist:
    """Types a line, a Tab and Enter into a real shell."""

    terminal: Any
    heard: Path

    def run(self, line: str) -> list[str]:
        """The arguments that come out of it."""
        self.terminal.send(f"{line}\t")
        time.sleep(0.1)
        self.terminal.send("\n")
        until = time.monotonic() + 5
        while not self.heard.exists() and time.monotonic() < until:
            time.sleep(0.02)
        if not self.heard.exists():
            self.terminal.send("\x03\n")
            time.sleep(1)
            import contextlib

            with contextlib.suppress(Exception):
                print(self.terminal.read_nonblocking(100000, 1))
            raise AssertionError
        arguments: list[str] = json.loads(self.heard.read_text())
        self.heard.unlink()
        return arguments


STARTS = {
    "bash": ("--norc", "--noprofile"),
    "zsh": ("-f",),
    "fish": ("--no-config",),
}
READS = {
    "bash": 'eval "$(specchat completion bash)"',
    "zsh": 'autoload -U compinit; compinit -u -D; eval "$(specchat completion zsh)"',
    "fish": "specchat completion fish | source",
}


@pytest.fixture(scope="module", params=STARTS)
def typist(request, home, tmp_path_factory) -> Iterator[Typist]:
    pexpect = pytest.importorskip("pexpect")
    shell = shutil.which(request.param)
    if shell is None:
        pytest.skip(f"there is no {request.param} here")
    place = tmp_path_factory.mktemp(request.param)
    heard = place / "heard.json"
    program = place / "bin" / "specchat"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\n[ -n "$_SPECCHAT_COMPLETE$SCRIPT" ] && exec {sys.executable} -m specchat.cli.main "$@"\n'
        f'exec {sys.executable} -c \'{SAY}\' "{heard}" "$@"\n'
    )
    program.chmod(0o755)
    variables = {name: text for name, text in os.environ.items() if not name.startswith(("XDG_", "HF_"))}
    terminal = pexpect.spawn(
        shell,
        list(STARTS[request.param]),
        env={**variables, "HOME": str(home), "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "xterm"},
        cwd=home / "work",
        encoding="utf-8",
        dimensions=(30, 100),
        timeout=20,
    )
    terminal.sendline(READS[request.param].replace("specchat ", "env SCRIPT=1 specchat ", 1) + "; echo rea''dy")
    terminal.expect("ready\r")
    yield Typist(terminal, heard)
    terminal.close(force=True)


SAY = (
    "import json, os, sys; "
    'open(sys.argv[1] + "-", "w").write(json.dumps(sys.argv[2:])); os.rename(sys.argv[1] + "-", sys.argv[1])'
)


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("specchat ru", ["run"]),
        ("specchat run --dry --chat-t", ["run", "--dry", "--chat-template"]),
        ("specchat run -m user/b", ["run", "-m", NAMES[0]]),
        ("specchat run -m user/big-GGUF:Q", ["run", "-m", NAMES[0]]),
        ("specchat run -m tiny:", ["run", "-m", "tiny:1m"]),
        ("specchat run --model=tiny:1", ["run", "--model=tiny:1m"]),
        ("specchat run --model=user/s", ["run", "--model=user/small-GGUF:Q8_0"]),
        ('specchat run -m "user/big-GGUF:Q4', ["run", "-m", NAMES[0]]),
        ("specchat run --draft ng", ["run", "--draft", "ngram"]),
        ("specchat run -m my\\ models/it", ["run", "-m", "my models/it's 7B.gguf"]),
        ("specchat run -m 'my models/i", ["run", "-m", "my models/it's 7B.gguf"]),
        ("specchat run -m ~/work/my\\ models/i", ["run", "-m", "~/work/my models/it's 7B.gguf"]),
        ("specchat run --profile he", ["run", "--profile", "her $1"]),
        ('specchat run --profile "he', ["run", "--profile", "her $1"]),
        ("specchat profile show ow", ["profile", "show", "own.yaml"]),
        ("specchat session export fi", ["session", "export", "first-chat"]),
        ("specchat run -f que", ["run", "-f", "question.txt"]),
        ("specchat run --file=que", ["run", "--file=question.txt"]),
        ("specchat run --system @que", ["run", "--system", "@question.txt"]),
        ("specchat run --system=@que", ["run", "--system=@question.txt"]),
        ("specchat run Say --each own.yaml que", ["run", "Say", "--each", "own.yaml", "question.txt"]),
        ("specchat rm user/sm", ["rm", "user/small-GGUF:Q8_0"]),
        ("true && specchat show tin", ["show", "tiny:1m"]),
        ("specchat run que", ["run", "que"]),
    ],
)
def test_a_shell_completes(typist, home, line, arguments):
    typed = typist.run(line)
    assert typed == [word.replace("~/", f"{home}/") for word in arguments]
