"""`--batch`: many prompts, lines of JSON."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specchat.speculative.errors import DecodeError

from .fakes import World

MODEL = ("run", "-m", "big.gguf")
COMMAND = (sys.executable, "-m", "specchat.cli.main")


def lines(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def batch(prompts: str, *more: str, **settings) -> World:
    return World(stdin=prompts.encode(), **settings).run(*MODEL, "--batch", "-", *more)


def questions(world: World) -> list[str]:
    return [chat[-1].content for chat in world.pair.chats]


def test_each_line_is_a_prompt_and_each_answer_a_line():
    world = batch("one\ntwo\r\nthree")
    assert world.code == 0
    assert [(each["id"], each["index"], each["text"]) for each in lines(world.out)] == [
        (1, 0, "Hello."),
        (2, 1, "Hello."),
        (3, 2, "Hello."),
    ]
    assert questions(world) == ["one", "two", "three"]
    single = json.loads(World().run(*MODEL, "--json", "one").out)
    assert set(lines(world.out)[0]) - set(single) == {"id", "index"}


def test_all_answers_have_the_seed_that_was_given_and_shared_beginnings_are_read_once():
    answers = lines(batch("one\ntwo\nthree\n", "-s", "9", "-sys", "x" * 100).out)
    assert [each["seed"] for each in answers] == [9, 9, 9]
    assert [each["usage"]["cached_tokens"] for each in answers] == [0, 100, 101]  # "two" and "three" share a letter


def test_with_exact_no_more_is_shared_than_a_run_of_its_own_reads_in_the_same_passes():
    answers = lines(batch("one\ntwo\n", "--exact", "-sys", "x" * 100).out)
    assert [each["usage"]["cached_tokens"] for each in answers] == [0, 64]  # of 103, as 64 are read at once


def test_objects_have_ids_and_system_prompts():
    world = batch(
        '{"prompt": "a", "id": "x", "label": 3}\n\n{"prompt": "b", "system": "Be kind."}\n'
        '{"prompt": "c", "id": 7, "system": ""}\n',
        "-sys",
        "Be brief.",
    )
    assert [(each["id"], each["index"]) for each in lines(world.out)] == [("x", 0), (3, 1), (7, 2)]
    systems = [[each.content for each in chat if each.role == "system"] for chat in world.pair.chats]
    assert systems == [["Be brief."], ["Be kind."], []]


def test_a_prompt_that_cannot_be_answered_ends_nothing_and_the_last_one_decides_the_exit_code():
    world = batch(f"{'x' * 60}\n\nHi\n", n_ctx=50)
    long, empty, fine = lines(world.out)
    assert long == {
        "id": 1,
        "index": 0,
        "error": "The prompt has 61 tokens, but the context holds 50.",
        "hint": "A context of 573 leaves room for an answer: -c 573",
        "exit_code": 7,
    }
    assert (empty["id"], empty["error"], empty["exit_code"]) == (2, "The prompt is empty.", 2)
    assert (fine["id"], fine["text"]) == (3, "Hello.")
    assert world.code == 2
    assert "error: 2 of 3 prompts failed, the last was line 2: The prompt is empty.\n" in world.err
    assert batch(f"Hi\n\n{'x' * 60}\n", n_ctx=50).code == 7


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ('{"prompt": "a"', "That is no JSON: Expecting ',' delimiter at character 14."),
        ("plain", "That is no JSON: Expecting value at character 0."),
        ("[1]", "That is no JSON object."),
        ("[" * 100_000, "That is JSON that nothing can read."),
        ('{"text": "a"}', 'There is no text called "prompt".'),
        ('{"prompt": 1}', 'There is no text called "prompt".'),
        ('{"prompt": " "}', "The prompt is empty."),
        ('{"prompt": "a", "id": 1.5}', '"id" is neither a text nor a whole number.'),
        ('{"prompt": "a", "id": true}', '"id" is neither a text nor a whole number.'),
        ('{"prompt": "a", "system": 1}', '"system" is no text.'),
    ],
)
def test_a_line_that_makes_no_sense_says_why(line, error):
    world = batch(f'{{"prompt": "a"}}\n{line}\n')
    assert [each.get("error") for each in lines(world.out)] == [None, error]
    assert world.code == 2


def test_an_id_is_given_once():
    world = batch('{"prompt": "a", "id": 2}\n{"prompt": "b"}\n{"prompt": "c", "id": "2"}\n')
    assert [each.get("error") for each in lines(world.out)] == [None, "A line before it has the id 2, too.", None]


def test_half_a_character_in_json_is_no_accident():
    world = batch('{"prompt": "a\\ud800b", "id": "\\ud800"}\n')
    assert (world.code, questions(world)) == (0, ["a\ufffdb"])


@pytest.mark.parametrize("content", [b"", b"\n \n", b"GGUF\0\0\n", "Hi\n".encode("utf-16")])
def test_a_file_without_prompts_is_refused_before_anything_is_loaded(content, tmp_path):
    (tmp_path / "prompts").write_bytes(content)
    for world in (
        World(stdin=content).run(*MODEL, "--batch", "-"),
        World().run(*MODEL, "--batch", str(tmp_path / "prompts")),
    ):
        assert (world.code, world.out, world.pair) == (2, "", None)


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["Hi"], "two kinds of prompts"),
        (["-p", "Hi"], "two kinds of prompts"),
        (["-i"], "-i is for one prompt"),
        (["--compare"], "--compare is for one prompt"),
        (["--events"], "--events is for one prompt"),
        (["-o", "none/answers"], "There is no folder"),
    ],
)
def test_what_goes_with_no_batch_is_refused_before_anything_is_loaded(more, named):
    world = World(stdin=b"Hi\n").run(*MODEL, "--batch", "-", *more)
    assert (world.code, world.out, world.pair) == (2, "", None)
    assert named in world.err


def test_a_missing_file_is_named():
    world = World().run(*MODEL, "--batch", "none.txt")
    assert (world.code, world.err.splitlines()[0]) == (2, "error: none.txt cannot be read: No such file or directory.")


def test_files_come_before_every_prompt(tmp_path):
    (tmp_path / "notes").write_text("Notes.\n")
    assert questions(batch("a\nb\n", "-f", str(tmp_path / "notes"))) == ["Notes.\n\na", "Notes.\n\nb"]


def test_code_blocks_stand_beside_the_answers_and_a_missing_one_is_a_failure():
    world = batch("a\n", "-x", answers=["So:\n```\nx = 1\n```\n"])
    [answer] = lines(world.out)
    assert (answer["extracted"], answer["text"], world.code) == ("x = 1\n", "So:\n```\nx = 1\n```\n", 0)
    world = batch("a\n", "-x", answers=["So."])
    [answer] = lines(world.out)
    assert (answer["text"], answer["extracted"], answer["exit_code"], world.code) == ("So.", None, 1, 1)
    assert answer["error"] == "There is no code block in the answer."


def test_a_summary_comes_at_the_end_unless_it_is_to_be_quiet():
    assert re.fullmatch(r"2 answered · 14 tokens in .* s, .* tokens/s\n", batch("a\nb\n").err)
    assert batch("a\nb\n", "-q").err == ""


def test_a_terminal_shows_how_far_it_is_and_then_no_more(tmp_path):
    (tmp_path / "prompts").write_text("a\nb\n\n")
    world = World(screen=True, stdin=None).run(
        *MODEL, "--batch", str(tmp_path / "prompts"), "-o", str(tmp_path / "out")
    )
    assert "2 of 2 · 3 tokens · " in world.out
    assert world.transcript == "2 answered · 14 tokens in # s, # tokens/s\n"


def test_raw_text_goes_on_by_the_batch_and_has_no_system_prompt():
    prompts = b'{"prompt": "a"}\n{"prompt": "b", "system": "Be brief."}\n'
    world = World(stdin=prompts).run("complete", "-m", "big.gguf", "--batch", "-", "--suffix", "z")
    assert world.pair.texts == [("a", "z")]
    assert lines(world.out)[1]["error"] == "Raw text has no system prompt."


# In a file


@pytest.fixture
def files(tmp_path):
    prompts, out = tmp_path / "prompts.txt", tmp_path / "answers.jsonl"
    prompts.write_text("one\ntwo\nthree\n")
    return prompts, out


def run(files, *more: str, **settings) -> World:
    return World(**settings).run(*MODEL, "--batch", str(files[0]), "-o", str(files[1]), *more)


def test_answers_in_a_file_are_not_made_again(files):
    world = run(files)
    assert (world.code, world.out) == (0, "")
    before = files[1].read_bytes()
    assert [each["id"] for each in lines(before.decode())] == [1, 2, 3]
    world = run(files)
    assert (world.code, world.pair.chats, files[1].read_bytes()) == (0, [], before)
    assert world.err == "0 answered · 3 done before\n"
    files[0].write_text("one\ntwo\nthree\nfour\n")
    assert questions(run(files)) == ["four"]


@pytest.mark.parametrize("kept", [0, 1, 5, 30, -1])
def test_half_a_line_is_cut_off_and_answered_again(files, kept):
    run(files)
    whole = files[1].read_bytes().splitlines(keepends=True)
    files[1].write_bytes(b"".join(whole[:2]) + whole[2][:kept])
    assert questions(run(files)) == ["three"]
    assert [each["id"] for each in lines(files[1].read_text())] == [1, 2, 3]


@pytest.mark.parametrize(
    "content", ["my notes\n", "my notes", '{"text": 1}\n', "[]\n", '{"id": 1, "text": ""}\n', "\n", "{}"]
)
def test_a_file_with_anything_else_is_not_touched(files, content):
    files[1].write_text(content)
    world = run(files)
    assert (world.code, world.pair, files[1].read_text()) == (2, None, content)


def test_the_prompts_are_not_the_file_for_the_answers(files):
    files[0].write_text('{"prompt": "a", "id": 1}\n')
    world = World().run(*MODEL, "--batch", str(files[0]), "-o", str(files[0]))
    assert (world.code, files[0].read_text()) == (2, '{"prompt": "a", "id": 1}\n')


def test_ids_that_are_given_twice_are_done_twice_and_not_more(files):
    files[0].write_text('{"prompt": "a", "id": "x"}\n{"prompt": "b", "id": "x"}\n')
    assert run(files).code == 2
    whole = files[1].read_bytes()
    assert run(files).code == 0
    files[1].write_bytes(whole.splitlines(keepends=True)[0])
    assert run(files).code == 2
    assert [each.get("error") for each in lines(files[1].read_text())] == [
        None,
        'A line before it has the id "x", too.',
    ]


def test_ctrl_c_keeps_what_is_finished_and_dies_of_the_signal(files):
    def interrupt(world: World, passes: int) -> None:
        if passes == 10:  # of the second answer
            signal.raise_signal(signal.SIGINT)

    world = run(files, on_pass=interrupt)
    assert (world.code, world.out) == (-signal.SIGINT, "")
    assert [each["id"] for each in lines(files[1].read_text())] == [1]
    assert re.fullmatch(r"1 answered · 7 tokens in .* s, .* tokens/s · stopped\n", world.err)
    assert questions(run(files)) == ["two", "three"]


def test_an_error_in_the_middle_of_an_answer_stands_beside_its_half():
    errors = [DecodeError("There is no memory left.", "Buy some.")]

    def fail(world: World, passes: int) -> None:
        if passes == 3 and errors:
            raise errors.pop()

    first, second = lines(batch("a\nb\n", on_pass=fail).out)
    assert (first["text"], first["finish_reason"], first["error"], first["exit_code"]) == (
        "Hel",
        "error",
        "There is no memory left.",
        1,
    )
    assert second["text"] == "Hello."


# Real processes


def specchat(*arguments: object, **settings) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([*COMMAND, *map(str, arguments)], timeout=60, check=True, capture_output=True, **settings)


def test_answers_of_a_batch_are_those_of_runs_of_their_own(write_tiny_model, tmp_path):
    model, words = write_tiny_model(seed=3), ("on the one", "on the other", "in")
    options = ("-t", 1, "-m", model, "-n", 40, "-s", 5, "-sys", "the user is on the run")
    out = specchat("run", *options, "--batch", "-", input="\n".join(words).encode()).stdout
    answers = [json.loads(line) for line in out.splitlines()]
    alone = [json.loads(specchat("run", *options, "--no-stdin", "--json", each).stdout) for each in words]
    assert [each["text"] for each in answers] == [each["text"] for each in alone]
    assert len({each["text"] for each in answers}) == 3
    assert all(each["usage"]["cached_tokens"] > 10 for each in answers[1:])


def test_a_batch_that_was_killed_goes_on_where_it_was(write_tiny_model, tmp_path):
    model, prompts, out, whole = write_tiny_model(seed=3), tmp_path / "in", tmp_path / "out", tmp_path / "whole"
    prompts.write_text("".join(f"the {number}\n" for number in range(1, 31)))
    options = ("run", "-t", 1, "-m", model, "-n", 100, "-s", 5, "--batch", prompts)
    specchat(*options, "-o", whole)
    process = subprocess.Popen([*COMMAND, *map(str, options), "-o", out], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not out.exists() or out.read_bytes().count(b"\n") < 5:
        assert time.monotonic() < until
        time.sleep(0.001)
    process.kill()
    process.wait()
    done = out.read_bytes().count(b"\n")
    assert done < 30
    with out.open("ab") as file:
        file.write(b'{"id": 6')
    said = specchat(*options, "-o", out).stderr.decode()
    assert said.startswith(f"{30 - done} answered · {done} done before")
    assert _texts(out) == _texts(whole)


def _texts(file: Path) -> list[tuple[int, str]]:
    return [(each["id"], each["text"]) for each in map(json.loads, file.read_text().splitlines())]


def test_errors_of_an_earlier_run_are_told_when_it_is_resumed(files):
    files[0].write_text("one\n\ntwo\n")
    world, again = run(files), run(files)
    assert (world.code, again.code) == (2, 0)
    assert "0 answered · 3 done before · 1 of them an error" in again.err
