"""Answers that are to have a form: where it comes from, what is said of a broken one, and what becomes of a cut one."""

import json
import re

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
    ],
)
def test_a_form_that_cannot_be_used_ends_it_before_anything_is_loaded(arguments, message):
    world = World().run("run", "-m", "target.gguf", *arguments, "hi")
    assert (world.code, world.pair) == (2, None)
    assert message in " ".join(world.err.split())


def profile(tmp_path, text, schema=SCHEMA):
    """Variables that lead to a profile with this text besides its model, and a schema beside it."""
    folder = tmp_path / "specchat" / "profiles"
    folder.mkdir(parents=True)
    (folder / "person.json").write_text(schema)
    (folder / "mine.yaml").write_text(f"target: big.gguf\ndraft: none\n{text}\n")
    return {"XDG_CONFIG_HOME": str(tmp_path)}


def answered(variables, *line):
    world = World(answers=["yes"], variables=variables).run("run", "--profile", "mine", "-q", *line, "hi")
    assert world.code == 0, world.err
    return world.out


def chatted(*lines):
    """A chat, and the form of the pair that answered last."""
    world = World(answers=[OBJECT] * 9, stdin=None, screen=True, columns=200, lines=lines)
    world.run(*RUN[:-1], "--no-save", "--grammar", 'root ::= "yes"')
    assert world.code == 0, world.out
    return world, world.pair.config.grammar


def test_a_chat_can_have_another_form_or_none():
    world, form = chatted(
        "hi", f"/set json-schema {SCHEMA}", "hi", "/model other.gguf", "hi", "/set grammar none", "hi"
    )
    assert world.transcript.count("yes\n") == 1
    assert re.findall(r"^\{.*\}$", world.transcript, re.MULTILINE) == [OBJECT, OBJECT, OBJECT]
    assert form is None
    _, form = chatted("/set json_schema none", f"/set json_schema {SCHEMA}", "/model other.gguf")
    assert form.text == SCHEMA


@pytest.mark.parametrize(("value", "message"), [
    ("json_schema no.json", "no.json"),
    ('json_schema {"type": "x"}', "error: The JSON schema"),
    ("grammar root ::= x", "error: The grammar"),
])  # fmt: skip
def test_a_form_that_cannot_be_used_leaves_a_chat_as_it_was(value, message):
    world, form = chatted(f"/set {value}", "hi")
    assert message in world.transcript
    assert (form.kind, "\nyes\n" in world.transcript) == ("grammar", True)


@pytest.mark.parametrize("form", ["person.json", "'@person.json'", f"'{SCHEMA}'"])
def test_a_profile_can_have_a_form_whose_file_lies_beside_it(tmp_path, form):
    variables = profile(tmp_path, f"json_schema: {form}")
    assert json.loads(answered(variables)).keys() == {"a"}
    completed = World(variables=variables).run("complete", "--profile", "mine", "-q", "hi")
    assert json.loads(completed.out).keys() == {"a"}


def test_a_form_replaces_the_other_kind_of_who_comes_after_it(tmp_path):
    variables = profile(tmp_path, "json_schema: person.json")
    assert answered(variables, "--grammar", 'root ::= "no"') == "no\n"
    assert answered(variables, "--grammar", "none") == answered(variables, "--json-schema", "none") == "yes\n"
    assert answered({**variables, "SPECCHAT_GRAMMAR": 'start: "or"'}) == "or\n"


def test_show_config_says_where_a_form_comes_from(tmp_path):
    variables = profile(tmp_path, "json_schema: person.json")
    line = ("run", "--profile", "mine", "--show-config", "--json")
    found = json.loads(World(variables=variables).run(*line).out)
    file = tmp_path / "specchat" / "profiles" / "person.json"
    assert found["json_schema"] == {"value": f"@{file}", "origin": "profile mine, line 3"}
    found = json.loads(World(variables=variables).run(*line, "--grammar", "none").out)
    assert (found["json_schema"]["value"], found["grammar"]["origin"]) == (None, "--grammar")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("json_schema: nowhere.json", "nowhere.json cannot be read"),
        ("json_schema: '{'", "The JSON schema is no JSON"),
        ("json_schema: 3", "mine.yaml, line 3: json_schema is 3, but has to be a text"),
        ("grammar: ''", "has to be a form"),
        ("json_schema: '{}'\ngrammar: 'start: \"a\"'", "line 3 and profile mine, line 4 are two forms"),
    ],
)
def test_a_broken_form_of_a_profile_is_named_before_anything_is_loaded(tmp_path, text, message):
    world = World(variables=profile(tmp_path, text)).run("run", "--profile", "mine", "hi")
    assert world.pair is None
    assert message in " ".join(world.err.split())


def test_plain_and_drafted_answers_in_a_form_are_compared():
    line = ("run", "-m", "target.gguf", "--draft", "ngram", "--compare", "--json-schema", SCHEMA, "--json", "hi")
    world = World(answers=[OBJECT] * 3).run(*line)
    found = json.loads(world.out)
    assert (world.code, found["same_text"], found["plain"]["text"]) == (0, True, OBJECT)
    cut = World(answers=[OBJECT] * 3).run(*line, "-n", "4")
    assert (cut.code, json.loads(cut.out)["drafted"]["complete"]) == (8, False)


def test_exit_code_8_is_explained():
    assert "incomplete" in World().run("help", "exit-codes").out
