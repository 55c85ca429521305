"""`--each`: the same question about many files."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from specchat.cli.scripts.each_files import spread
from specchat.speculative.errors import ServerError

from .fakes import World

MODEL = ("run", "-m", "big.gguf")


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder to work in, with three files and one for the answers."""
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "b.txt", "c.py"):
        (tmp_path / name).write_text(f"In {name}.\n")
    (tmp_path / "out").mkdir()
    return tmp_path


def ask(*more: str, **settings) -> World:
    return World(**settings).run(*MODEL, "Sum up.", "--each", *more)


def questions(world: World) -> list[str]:
    return [chat[-1].content for chat in world.pair.chats]


def answers(here: Path) -> dict[str, str]:
    return {each.name: each.read_text() for each in sorted((here / "out").iterdir())}


@pytest.mark.parametrize(
    ("line", "options", "meant"),
    [
        (["--each", "a", "b", "c", "-q"], [0, 4], ["--each", "a", "--each", "b", "--each", "c", "-q"]),
        (["Hi", "--each", "a", "b", "--", "c", "d"], [1], ["Hi", "--each", "a", "--each", "b", "--", "c", "d"]),
        (["--each", "a", "--each", "b", "c"], [0, 2], ["--each", "a", "--each", "b", "--each", "c"]),
        (["-p", "--each", "a"], [0], ["-p", "--each", "a"]),
        (["--each"], [0], ["--each"]),
        (["--each=a", "b"], [0], ["--each=a", "b"]),
    ],
)
def test_all_words_behind_each_are_files_up_to_the_next_option(line, options, meant):
    assert spread(line, options) == meant


def test_without_a_place_for_them_the_answers_come_one_below_the_other(here):
    world = ask("a.txt", "b.txt", "-q")
    assert (world.code, world.out, world.err) == (0, "--- a.txt\n\nHello.\n\n--- b.txt\n\nHello.\n", "")
    assert questions(world) == ["Sum up.\n\nIn a.txt.", "Sum up.\n\nIn b.txt."]


def test_a_prompt_may_be_said_in_all_the_ways_and_none(here):
    assert questions(World().run(*MODEL, "--each", "a.txt")) == ["In a.txt."]
    assert questions(World().run(*MODEL, "--each", "a.txt", "-p", "Hi")) == ["Hi\n\nIn a.txt."]
    assert questions(World().run(*MODEL, "-f", "b.txt", "--each", "a.txt", "--", "Hi")) == [
        "In b.txt.\n\nHi\n\nIn a.txt."
    ]


def test_standard_input_is_left_alone(here):
    assert questions(ask("a.txt", stdin=b"piped")) == ["Sum up.\n\nIn a.txt."]


def test_what_is_the_same_is_read_once_and_the_seed_is_the_one_given(here):
    world = ask("a.txt", "b.txt", "--json", "-s", "3")
    told = [json.loads(line) for line in world.out.splitlines()]
    assert [(each["file"], each["seed"], each["usage"]["cached_tokens"]) for each in told] == [
        ("a.txt", 3, 0),
        ("b.txt", 3, len("Sum up.\n\nIn ")),
    ]


def test_each_answer_has_a_file_of_its_own(here):
    world = ask("a.txt", "b.txt", "c.py", "-o", "out/{stem}{suffix}-{name}.md")
    assert (world.code, world.out) == (0, "")
    assert answers(here) == {f"{name}-{name}.md": "Hello.\n" for name in ("a.txt", "b.txt", "c.py")}
    assert re.fullmatch(r"3 answered · 21 tokens in .*\n", world.err)


def test_answers_that_are_there_stay_unless_they_are_forced(here):
    (here / "out" / "a.md").write_text("Mine.\n")
    world = ask("a.txt", "b.txt", "-o", "out/{stem}.md")
    assert answers(here) == {"a.md": "Mine.\n", "b.md": "Hello.\n"}
    assert world.err.startswith("1 answered · 1 done before · ")
    assert questions(ask("a.txt", "b.txt", "-o", "out/{stem}.md", "--force")) != []
    assert answers(here) == {"a.md": "Hello.\n", "b.md": "Hello.\n"}


def test_a_file_that_cannot_be_asked_about_ends_nothing(here):
    (here / "binary").write_bytes(b"\x7fELF\xff\0\0")
    (here / "empty").write_text(" \n")
    (here / "long").write_text("x" * 100)
    world = ask("binary", "out", "empty", "long", "a.txt", "-o", "out/{stem}.md", n_ctx=60)
    assert world.code == 7
    assert answers(here) == {"a.md": "Hello.\n"}
    assert "warning" not in world.err
    assert [line for line in world.err.splitlines() if line.startswith("error")] == [
        "error: binary is not text: there is a NUL at character 5.",
        "error: out cannot be read: Is a directory.",
        "error: empty is empty.",
        "error: long: The prompt has 110 tokens, but the context holds 60.",
        "error: 4 of 5 files failed, the last was long.",
    ]


def test_a_failure_stands_beside_the_answers_and_never_between_them(here):
    (here / "empty").touch()
    world = ask("empty", "a.txt", "-q")
    assert (world.code, world.out) == (2, "--- a.txt\n\nHello.\n")


def test_code_blocks_alone(here):
    world = ask("a.txt", "-x", "-q", answers=["So:\n```\nx = 1\n```"])
    assert (world.code, world.out) == (0, "--- a.txt\n\nx = 1\n")
    world = ask("a.txt", "-x", "-o", "out/{stem}.py")
    assert (world.code, answers(here)) == (1, {})
    assert "error: a.txt: There is no code block in the answer." in world.err


def test_ctrl_c_keeps_what_is_finished_and_dies_of_the_signal(here):
    def interrupt(world: World, passes: int) -> None:
        if passes == 10:
            signal.raise_signal(signal.SIGINT)

    world = ask("a.txt", "b.txt", "c.py", "-o", "out/{stem}", on_pass=interrupt)
    assert (world.code, answers(here)) == (-signal.SIGINT, {"a": "Hello.\n"})
    assert world.err.endswith(" · stopped\n")
    world = ask("a.txt", "b.txt", on_pass=interrupt, answers=["abcdefgh"])
    assert (world.code, world.out) == (-signal.SIGINT, "--- a.txt\n\nabcdefgh\n\n--- b.txt\n\nab\n")


def test_a_server_that_is_silent_after_ctrl_c_is_told_of_and_it_dies_of_the_signal_nevertheless(here):
    def lose(world: World, passes: int) -> None:
        if passes == 10:
            signal.raise_signal(signal.SIGINT)
            raise ServerError("It is silent.", "Look after it.")

    world = ask("a.txt", "b.txt", "-o", "out/{stem}", on_pass=lose)
    assert (world.code, answers(here)) == (-signal.SIGINT, {"a": "Hello.\n"})
    assert world.err.endswith(" · stopped\nerror: It is silent.\nhint: Look after it.\n")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["a.txt", "none.txt"], "There is no file none.txt."),
        (["a.txt", "Explain this. " * 30], "There is no file Explain"),
        (["a.txt", "b.txt", "-o", "out/all"], "a.txt and b.txt would both go into out/all."),
        (["a.txt", "a.txt", "-o", "out/{stem}"], "a.txt and a.txt would both go into out/a."),
        (["a.txt", "-o", "{name}"], "about a.txt would replace a.txt."),
        (["a.txt", "-o", "{name}", "--force"], "about a.txt would replace a.txt."),
        (["a.txt", "-o", "out/{file}"], "-o: {file} is not known."),
        (["a.txt", "-o", "none/{stem}"], "There is no folder"),
        (["a.txt", "-o", "out"], "out is a folder."),
        (["a.txt", "--force"], "--force replaces the answers of --each"),
        (["a.txt", "--events"], "--events is for one prompt, and --each has many."),
        (["a.txt", "-i"], "-i is for one prompt"),
        (["a.txt", "--compare"], "--compare is for one prompt"),
        (["a.txt", "--batch", "a.txt"], "two kinds of many prompts"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_loaded(here, more, message):
    world = ask(*more)
    assert (world.code, world.out, world.pair, answers(here)) == (2, "", None, {})
    assert message in world.err.splitlines()[0]


def test_raw_text_goes_on_from_each_file(here):
    world = World().run("complete", "-m", "big.gguf", "--each", "a.txt", "c.py")
    assert world.pair.texts == [("In a.txt.",), ("In c.py.",)]


def test_a_real_process_takes_what_the_shell_makes_of_a_star(here, write_tiny_model):
    line = f"{sys.executable} -m specchat.cli.main run -t 1 -n 9 -m {write_tiny_model(seed=3)} Hi --each *.txt"
    subprocess.run(["bash", "-c", f"{line} -o 'out/{{stem}}.md'"], check=True, capture_output=True, timeout=60)
    assert set(answers(here)) == {"a.md", "b.md"}


def test_a_file_that_cannot_be_written_ends_nothing(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(name)

    def be_in_the_way(world: World, count: int) -> None:
        (tmp_path / "a.md").mkdir(exist_ok=True)

    files = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    ended = World(answers=("One.",), on_pass=be_in_the_way).run(
        "run", "-m", __file__, "what", "--each", *files, "-o", f"{tmp_path}/{{stem}}.md"
    )
    assert ended.code == 1, ended.err
    assert f"{tmp_path / 'a.md'} cannot be written: Is a directory." in ended.err
    assert (tmp_path / "b.md").read_text() == "One.\n"


@pytest.mark.parametrize("prompt", ["what", "t", "on"])
def test_a_prompt_that_ends_like_an_option_hides_none(here, prompt):
    world = World().run(*MODEL, prompt, "--each", "a.txt", "b.txt", "-q")
    assert len(questions(world)) == 2
