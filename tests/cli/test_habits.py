"""What people type who come from llama.cpp, Ollama, LM Studio or llm."""

import pytest

from specchat.cli.app import COMMANDS, application

from .fakes import World


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        (["run", "-m", "x.gguf", "-s", "You are a pirate", "Hi"], "--system 'You are a pirate'"),
        (["run", "-m", "x.gguf", "--draft", "16", "Hi"], "--draft-max 16"),
        (["run", "-m", "x.gguf", "-o", "temperature", "0.7", "Hi"], "--temp 0.7"),
        (["run", "-m", "x.gguf", "-o", "top_p", "0.9", "Hi"], "--top-p 0.9"),
        (["run", "-m", "x.gguf", "-c"], "-c 8192"),
        (["run", "-m", "x.gguf", "-c", "and then?"], "-c 8192"),
        (["run", "llama3", "Hi"], 'specchat run -m llama3 "Hi"'),
        (["run", "llama3.2:1b"], "specchat run -m llama3.2:1b"),
        (["run", "org/name", "Hi"], 'specchat run -m org/name "Hi"'),
        (["run", "demo", "Hi"], 'specchat run --profile demo "Hi"'),
        (["complete", "demo", "Hi"], 'specchat complete --profile demo "Hi"'),
        (["complete", "llama3", "Hi"], 'specchat complete -m llama3 "Hi"'),
        (["chat"], "specchat run -m FILE"),
        (["download", "llama3"], "specchat pull USER/REPO"),
        (["ls"], "specchat list"),
        (["models"], "specchat list"),
        (["llama3", "Hi"], 'specchat run -m llama3 "Hi"'),
        (["Why is the sky blue?"], 'specchat run -m FILE "Why is the sky blue?"'),
        (["-m", "x.gguf", "-p", "Hi"], "specchat run -m x.gguf -p Hi"),
        (["chat", "-m", "x.gguf"], "specchat run -m x.gguf"),
        (["run", "-hf", "org/name", "Hi"], "when -m names them"),
        (["run", "-m", "x.gguf", "-cnv"], "-i chats"),
        (["run", "-m", "x.gguf", "-no-cnv", "Hi"], "specchat complete"),
        (["run", "-m", "x.gguf", "-sysf", "style.txt", "Hi"], "--system @FILE"),
        (["run", "-m", "x.gguf", "--format", "json", "Hi"], "--json"),
        (["run", "-m", "x.gguf", "--gpu=max", "Hi"], "-ngl"),
        (["run", "-m", "x.gguf", "-5", "times 3"], "behind --"),
        (["run", "--modell", "x.gguf", "Hi"], "Did you mean --model?"),
        (["run", "-m", "x.gguf", "--tempp", "1", "Hi"], "Did you mean --temp?"),
        (["run", "-m", "x.gguf", "--bogus", "Hi"], "hint: specchat run --help lists"),
    ],
)
def test_a_habit_gets_the_right_spelling(line, advice):
    world = World().run(*line)
    assert (world.code, world.out, world.pair) == (2, "", None)
    message, hint = world.err.splitlines()
    assert message.startswith("error: ")
    assert hint.startswith("hint: ")
    assert advice in hint


def test_words_behind_two_dashes_are_only_words():
    assert World().run("run", "-m", "x.gguf", "--", "-o", "temperature", "0.7").pair.chats[0][0].content == (
        "-o temperature 0.7"
    )


@pytest.mark.parametrize(
    "line",
    [
        ("--stop", "-e", "Hi"),
        ("-r", "--color", "Hi"),
        ("-sys", "-x", "Hi"),
        ("-p", "-o"),
        ("-p=-o",),
        ("--prompt", "-hf"),
    ],
)
def test_the_value_of_an_option_may_look_like_another_tool_s_option(line):
    assert World().run("run", "-m", "x.gguf", *line).code == 0


def test_a_draft_file_may_be_called_like_a_number(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "16").touch()
    assert str(World().run("run", "-m", "x.gguf", "--draft", "16", "Hi").pair.config.draft) == "16"


def test_llama_cpp_s_number_for_a_random_seed_is_random():
    seeds = {World().run("run", "-m", "x.gguf", "-s", "4294967295", "Hi").pair.config.seed for _ in range(4)}
    assert len(seeds) > 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (("--draft-max", "-1"), "--draft-max: -1 is too small."),
        (("--temp", "abc"), "--temp: 'abc' is not a number."),
        (("--temp", "nan"), "--temp: nan is out of range."),
        (("--top-p", "1.5"), "--top-p: 1.5 is out of range."),
        (("-n", "0"), "-n: 0 tokens is nothing to generate."),
        (("--max-tokens=x",), "--max-tokens: 'x' is not a whole number."),
        (("-md", ""), "-md: The name is empty."),
        (("--profile", ""), "--profile: The name is empty."),
        (("-fa", "maybe"), "-fa: 'maybe' is not known."),
        (("-s", "99999999999"), "The seed 99999999999 is out of range."),
    ],
)
def test_a_value_that_makes_no_sense_is_named_with_its_option(value, message):
    world = World().run("run", "-m", "x.gguf", *value, "Hi")
    assert (world.code, world.err.splitlines()[0]) == (2, f"error: {message}")


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        (("doctor", "foo"), "foo is a word too many.", "specchat doctor --help lists the options."),
        (("list", "a b", "c"), "These words are too many: a b c.", "specchat list --help lists the options."),
        (("session", "show", "a", "b"), "b is a word too many.", "specchat session show --help lists the options."),
        (("run", "-m"), "-m takes a value, which is missing.", "specchat run --help lists the options."),
        (("run", "--json=1"), "--json takes no value.", "specchat run --help lists the options."),
        (("profile",), "The command is missing.", "specchat profile --help lists the commands."),
        (("profile", "foo"), "There is no command foo.", "specchat profile --help lists the commands."),
        (
            ("session", "lst"),
            "There is no command lst. Did you mean list?",
            "specchat session --help lists the commands.",
        ),
        (
            ("runn",),
            "There is no command runn. Did you mean run?",
            'To ask something: specchat run -m FILE "runn"',
        ),
        (
            ("show", "-m", "demo"),
            "There is no option -m.",
            "Leave -m out: specchat show takes the model by itself.",
        ),
    ],
)
def test_what_typer_cannot_read_is_said_in_our_words(line, message, hint):
    world = World().run(*line)
    assert (world.code, world.out, world.err) == (2, "", f"error: {message}\nhint: {hint}\n")


def test_each_command_is_there_once():
    app = application()
    names = [*(each.name for each in app.registered_commands), *(each.name for each in app.registered_groups)]
    assert sorted(names) == sorted(COMMANDS)
