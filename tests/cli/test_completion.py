"""Completion by Tab: what is offered, and in real shells what becomes of the line."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from specchat.cli.app import application
from specchat.cli.completion.shells import SHELLS
from specchat.cli.completion.values import lister_of

from ..profiles.stores.layouts import hub_file, ollama_model
from .fakes import World

NAMES = ["user/big-GGUF:Q4_K_M", "user/small-GGUF:Q8_0", "tiny:1m"]
HEAVY = ("llama_cpp", "numpy", "rich", "huggingface_hub", "httpx2", "prompt_toolkit", "pydantic")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """Models, files, sessions and profiles with names that shells have to quote."""
    home: Path = tmp_path_factory.mktemp("person") / "home"
    hub = home / ".cache/huggingface/hub"
    hub_file(hub, "user/big-GGUF", "big-Q4_K_M.gguf", b"big")
    hub_file(hub, "user/small-GGUF", "small-Q8_0.gguf", b"small")
    ollama_model(home / ".ollama/models", "tiny/1m", b"tiny")
    for name in (
        ".local/share/specchat/sessions/first-chat.jsonl",
        ".config/specchat/profiles/her $1.yaml",
        "work/my models/it's 7B.gguf",
        "work/my models/plain 8B.gguf",
        "work/my models/notes.txt",
        "work/own.yaml",
        "work/question.txt",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("")
    return home


def asked(home: Path, line: str, shell: str = "fish", **variables: str) -> World:
    """What a shell gets to read for a line. Words are not chosen by what is typed: fish and zsh do that their way."""
    asking = {"_SPECCHAT_COMPLETE": shell, "_SPECCHAT_LINE": line, "XDG_DATA_HOME": str(home / ".local/share")}
    return World(home=lambda: home, variables={**asking, **variables}).run()


def offered(home: Path, line: str) -> list[str]:
    """The texts that are offered for a line."""
    done = asked(home, line)
    assert (done.code, done.err) == (0, "")
    return [each.partition("\t")[0] for each in done.out.splitlines()]


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("specchat se", ["session"]),
        ("specchat --ver", ["--version"]),
        ("specchat session ", ["list", "show", "export", "rm", "path"]),
        ("specchat session export --f", ["--format"]),
        ("specchat session export --format ", ["markdown", "json"]),
        ("specchat session rm first-chat ", []),
        ("specchat completion ", ["bash", "zsh", "fish"]),
        ("specchat help ", ["exit-codes"]),
        ("specchat run --overflow ", ["refuse", "drop-oldest"]),
        ("specchat run --overflow=", ["--overflow=refuse", "--overflow=drop-oldest"]),
        ("specchat run --session ", ["first-chat"]),
        ("specchat run --temp ", []),
        ("specchat run ", []),
        ("specchat run -- -", []),
        ("specchat run -sys x", []),
        ("specchat verify ", NAMES),
        ("specchat verify tiny:1m ", NAMES[:2]),
        ("specchat rm ", NAMES[:2]),
        ("specchat profile new ", []),
        ("specchat --version list --", ["--json", "--help"]),
    ],
)
def test_what_fits_is_offered(home, monkeypatch, line, texts):
    monkeypatch.chdir(home / "work")
    assert offered(home, line) == texts


def test_models_come_before_files_and_folders(home, monkeypatch):
    monkeypatch.chdir(home / "work")
    assert offered(home, "specchat run -m ") == [*NAMES, "my models/"]
    assert offered(home, "specchat run --draft ") == [*NAMES, "auto", "ngram", "none", "my models/"]
    assert offered(home, "specchat pair my\\ models/")[3:] == ["my models/it's 7B.gguf", "my models/plain 8B.gguf"]


def test_of_a_list_the_last_item_is_completed(home):
    assert "code,prose" in offered(home, "specchat bench --kinds code,pro")


@pytest.mark.parametrize(
    ("breaks", "line", "text"),
    [
        (" \t\n:=@", "specchat run -m user/big-GGUF:Q", "Q4_K_M"),
        (" \t\n", "specchat run -m user/big-GGUF:Q", "user/big-GGUF:Q4_K_M"),
        (" \t\n:=@", "specchat run --model=tin", "tiny:1m"),
        (" \t\n:=@", "specchat run --system=@que", "@question.txt"),
        (" \t\n", "specchat run --system=@que", "--system=@question.txt"),
        (" \t\n:=@", "specchat run --profile her\\ ", "her\\ \\$1"),
        (" \t\n:=@\"'", 'specchat run --profile "he', "her \\$1"),
        (" \t\n:=@\"'", "specchat run -m 'my models/it", "my models/it'\\''s 7B.gguf"),
    ],
)
def test_bash_gets_what_stands_behind_its_break(home, monkeypatch, breaks, line, text):
    monkeypatch.chdir(home / "work")
    assert asked(home, line, "bash", _SPECCHAT_BREAKS=breaks).out == f"word\t{text}\n"


def test_whatever_is_offered_as_a_choice_is_taken():
    def choices(command: Any) -> Iterator[tuple[Any, str]]:
        for parameter in command.params:
            for word in (parameter.metavar or "").strip("[]").split("|"):
                if word and word == word.lower():
                    yield parameter, word
        for each in getattr(command, "commands", {}).values():
            yield from choices(each)

    found = list(choices(typer.main.get_command(application())))
    assert len(found) > 20
    for parameter, word in found:
        parameter.type_descriptor.parameter_info.parser(word)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("option", ["-m ", "--session ", "--profile ", "'"])
@pytest.mark.parametrize(
    "broken",
    [
        ".config/specchat/config.yaml",
        ".local/share/specchat/sessions",
        ".config/specchat/profiles",
        ".cache/huggingface/hub",
        ".ollama/models/manifests",
    ],
)
def test_what_is_broken_is_nobodys_business_here(tmp_path, shell, option, broken):
    (tmp_path / broken).parent.mkdir(parents=True)
    (tmp_path / broken).write_text("[: \0")
    done = asked(tmp_path, f"specchat run {option}", shell)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("variables", [{"_SPECCHAT_COMPLETE": "tcsh"}, {"_SPECCHAT_COMPLETE": ""}])
def test_what_is_asked_wrongly_is_answered_by_silence(tmp_path, variables):
    done = asked(tmp_path, "specchat pair ", **variables)
    assert (done.out, done.err) == ("", "")


def test_who_has_no_home_completes_all_the_same():
    def home() -> Path:
        raise RuntimeError("nobody is at home")

    done = World(home=home, variables={"_SPECCHAT_COMPLETE": "fish", "_SPECCHAT_LINE": "specchat show "}).run()
    assert (done.code, done.err) == (0, "")


def test_a_broken_config_file_hides_no_model(home, tmp_path):
    (tmp_path / "specchat").mkdir()
    (tmp_path / "specchat/config.yaml").write_text("nonsense: 1")
    done = asked(home, "specchat verify ", XDG_CONFIG_HOME=str(tmp_path))
    assert [each.partition("\t")[0] for each in done.out.splitlines()] == NAMES


def test_the_script_of_the_shell_in_use_is_printed():
    for name, shell in SHELLS.items():
        assert World(variables={"SHELL": f"/usr/bin/{name}"}).run("completion").out == shell.script
        assert World().run("completion", name).out == shell.script


def test_a_shell_that_is_unknown_is_named():
    done = World(variables={"SHELL": "/bin/tcsh"}).run("completion")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: Which shell is to complete? SHELL is tcsh, for which there is none.\n"
        "hint: Name one of: bash, zsh, fish.\n"
    )
    assert World().run("completion").err.startswith("error: Which shell is to complete? SHELL names no shell.")


@pytest.mark.parametrize("line", ["specchat ", "specchat run --dr", "specchat run -m ", "specchat session show "])
def test_completion_is_quick_and_imports_nothing_heavy(home, line):
    program = (
        "import sys; from specchat.cli.main import main\n"
        f"try: main()\nfinally: print(*(n for n in {HEAVY} if n in sys.modules), file=sys.stderr)"
    )
    around = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    variables = {**around, "HOME": str(home), "_SPECCHAT_COMPLETE": "fish", "_SPECCHAT_LINE": line}

    def cost() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.stdout
        assert done.stderr.split() == []
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(cost() for _ in range(3)) < 0.3


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
        ("specchat run -m 'my models/p", ["run", "-m", "my models/plain 8B.gguf"]),
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


def placeholders(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    """Every placeholder of --help, with the places by which it is looked up."""
    for parameter in command.params:
        metavar = (getattr(parameter, "metavar", None) or "").strip("[]").removesuffix("…")
        for part in metavar.split("|"):
            if part != part.lower():
                yield part, [parameter.name, " ".join(path), *path[:1]]
    for name, each in getattr(command, "commands", {}).items():
        yield from placeholders(each, (*path, name))


def test_every_placeholder_is_known():
    found = list(placeholders(typer.main.get_command(application())))
    assert len(found) > 50
    assert [each for each in found if lister_of(*each) is None] == []
