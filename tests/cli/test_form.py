"""Answers that are to have a form: where it comes from, what is said of a broken one, and what becomes of a cut one."""

import json

import pytest

from .fakes import World

RUN = ("run", "-m", "target.gguf", "--draft", "none", "-q")
SCHEMA = '{"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "additionalProperties": false}'
OBJECT = '{"a": 1}'


@pytest.mark.parametrize("command", ["run", "complete"])
@pytest.mark.parametrize("spelled", ["{text}", "{file}", "@{file}"])
def test_a_schema_is_a_text_or_a_file(tmp_path, command, spelled):
    file = tmp_path / "schema.json"
    file.write_text(SCHEMA)
    value = spelled.format(text=SCHEMA, file=file)
    world = World(answers=[f"Sure: {OBJECT}"]).run(command, *RUN[1:], "--json-schema", value, "hi")
    assert (world.code, json.loads(world.out).keys()) == (0, {"a"})


def test_a_file_may_be_called_like_a_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "{a}").write_text(SCHEMA)
    (tmp_path / "a::=b").write_text('root ::= "yes"')
    assert World(answers=["no"]).run(*RUN, "--json-schema", "{a}", "hi").code == 0
    assert World(answers=["no"]).run(*RUN, "--grammar", "a::=b", "hi").out == "yes\n"
    assert World(answers=["no"]).run(*RUN, "--grammar", "@a::=b", "hi").out == "yes\n"


@pytest.mark.parametrize(
    "grammar", ['root ::= "yes" | "no"', 'start: "yes" | "no"\n', "%llguidance {}\nstart: /yes|no/"]
)
def test_a_grammar_is_gbnf_or_lark(grammar):
    world = World(answers=["nothing"]).run(*RUN, "--grammar", grammar, "hi")
    assert (world.code, world.out) == (0, "no\n")


def test_what_met_the_form_unasked_is_the_same_text():
    assert World(answers=[OBJECT]).run(*RUN, "--json-schema", SCHEMA, "hi").out == f"{OBJECT}\n"


def test_a_cut_answer_is_incomplete_and_says_so():
    world = World(answers=[OBJECT]).run(*RUN, "-n", "4", "--json-schema", SCHEMA, "hi")
    assert (world.code, world.out) == (8, '{"a"\n')
    assert "incomplete: -n ended it" in world.err


def test_one_that_was_cut_where_nothing_could_follow_is_complete():
    assert World(answers=[OBJECT]).run(*RUN, "-n", str(len(OBJECT)), "--json-schema", SCHEMA, "hi").code == 0


def test_free_text_that_is_cut_is_fine():
    assert World(answers=[OBJECT]).run(*RUN, "-n", "4", "hi").code == 0


@pytest.mark.parametrize(("options", "complete"), [((), None), (("--json-schema", SCHEMA), True),
                                                  (("--json-schema", SCHEMA, "-n", "3"), False)])  # fmt: skip
def test_json_says_whether_it_is_complete(options, complete):
    world = World(answers=[OBJECT]).run(*RUN, "--json", *options, "hi")
    assert json.loads(world.out)["complete"] is complete


def test_a_file_is_not_written_with_half_an_answer(tmp_path):
    place = tmp_path / "answer.json"
    world = World(answers=[OBJECT]).run(*RUN, "-n", "4", "--json-schema", SCHEMA, "-o", str(place), "hi")
    assert (world.code, place.exists(), world.out) == (8, False, '{"a"\n')


def test_a_batch_marks_the_answers_that_are_incomplete():
    world = World(answers=[OBJECT, OBJECT], stdin=b"one\ntwo\n").run(
        *RUN, "-n", "4", "--json-schema", SCHEMA, "--batch", "-"
    )
    lines = [json.loads(line) for line in world.out.splitlines()]
    assert [(line["complete"], line["exit_code"]) for line in lines] == [(False, 8)] * 2
    assert world.code == 8


def test_each_file_is_answered_in_the_form(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    world = World(answers=["no idea"]).run(
        *RUN, "--json-schema", SCHEMA, "-o", str(tmp_path / "{stem}.json"), "hi",
        "--each", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"),
    )  # fmt: skip
    assert world.code == 0
    assert [json.loads((tmp_path / name).read_text()).keys() for name in ("a.json", "b.json")] == [{"a"}] * 2


def test_in_a_chat_an_incomplete_answer_goes_on_in_its_form():
    world = World(answers=[OBJECT], stdin=None, screen=True, lines=["hi", "/continue", "/continue"])
    world.run(*RUN[:-1], "-n", "4", "--no-save", "--json-schema", SCHEMA)
    assert world.code == 0
    assert world.out.count("The answer is incomplete") == 1
    assert "nothing to add" in world.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--json-schema", "{"), "The JSON schema is no JSON, in line 1, column 2"),
        (("--json-schema", "nowhere.json"), "nowhere.json is neither a file nor its text"),
        (("--json-schema", "@nowhere.json"), "nowhere.json cannot be read"),
        (
            ("--json-schema", '{"type": "object", "properties": {"a": {"type": "strnig"}}}'),
            "at #/properties/a: invalid",
        ),
        (("--grammar", 'root ::= "a" b'), "The grammar is no GBNF: rule 'b' not found"),
        (("--grammar", "yes"), "yes is neither a file nor its text"),
        (("--grammar", 'start: "a"', "--json-schema", "{}"), "two forms for one answer"),
        (("--grammar", ""), "empty"),
        (("--grammar", 'start: "a"', "--compare", "--draft", "ngram"), "--compare"),
    ],
)
def test_a_form_that_cannot_be_used_ends_it_before_anything_is_loaded(arguments, message):
    world = World().run("run", "-m", "target.gguf", *arguments, "hi")
    assert (world.code, world.pair) == (2, None)
    assert message in " ".join(world.err.split())


def test_exit_code_8_is_explained():
    assert "incomplete" in World().run("help", "exit-codes").out
