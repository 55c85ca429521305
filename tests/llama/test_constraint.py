"""Forms of answers on llama.cpp itself: whatever a random model says, it is what was asked for."""

import json

import jsonschema
import pytest

from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.constraint.guidance import check_grammar
from specchat.speculative.errors import UsageError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message

from ..tiny import user

SCHEMAS = {
    "object": {"type": "object", "properties": {"a": {"type": "boolean"}, "b": {"type": "null"}}, "required": ["a"],
               "additionalProperties": False},
    "nested": {"type": "object", "properties": {"in": {"type": "object", "properties": {"x": {"enum": [1, 2]}},
               "required": ["x"], "additionalProperties": False}}, "required": ["in"], "additionalProperties": False},
    "enum": {"enum": ["red", "green", 7, None, [1, {"a": 2}]]},
    "const": {"const": {"kind": "point", "at": [0, 1]}},
    "bounded array": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 2,
                      "maxItems": 4},
    "tuple": {"type": "array", "prefixItems": [{"type": "boolean"}, {"const": "x"}], "items": False, "minItems": 2},
    "short text": {"type": "string", "minLength": 2, "maxLength": 5},
    "pattern": {"type": "string", "pattern": "^[A-Z][a-z]{1,3}-[0-9]{2}$"},
    "date": {"type": "string", "format": "date"},
    "uuid": {"type": "string", "format": "uuid"},
    "range": {"type": "integer", "minimum": -12, "maximum": 345},
    "open range": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "multipleOf": 0.25},
    "multiple": {"type": "integer", "minimum": 0, "maximum": 100, "multipleOf": 7},
    "any of": {"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"const": 0}, "maxItems": 3}]},
    "all of": {"allOf": [{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]},
                         {"properties": {"b": {"const": 2}}, "required": ["b"]}] },
    "references": {"$defs": {"bit": {"enum": [0, 1]}}, "type": "array", "items": {"$ref": "#/$defs/bit"},
                   "minItems": 3, "maxItems": 3},
    "recursion": {"$defs": {"tree": {"anyOf": [{"const": 0}, {"type": "array", "items": {"$ref": "#/$defs/tree"},
                  "minItems": 1, "maxItems": 2}]}}, "$ref": "#/$defs/tree"},
    "unicode keys": {"type": "object", "properties": {"größe": {"enum": ["klein", "groß"]}, "名前": {"const": "木"},
                     "🙂": {"type": "boolean"}}, "required": ["größe", "名前", "🙂"], "additionalProperties": False},
    "more properties": {"type": "object", "additionalProperties": {"enum": [1, 2]}, "maxProperties": 2},
    "escapes": {"enum": ['a "quote"', "back\\slash", "tab\t", "line\nbreak", "/"]},
    "optional keys": {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}},
                      "required": ["b"], "additionalProperties": False},
    "several types": {"type": ["boolean", "null", "integer"], "minimum": 0, "maximum": 20},
}  # fmt: skip


def schema(value: object) -> Grammar:
    return Grammar("JSON schema", json.dumps(value), "the schema")


@pytest.fixture
def answer(write_tiny_model):
    """A function that asks a tiny random model, with another one that drafts or without."""

    def ask(grammar, *, draft=None, most=200, messages=None, resumes=False, **settings):  # type: ignore[no-untyped-def]
        model = settings.pop("model", {})
        drafted = write_tiny_model(**model, noise=0.2) if draft == "model" else draft or "none"
        config = PairConfig(
            target=write_tiny_model(**model), draft=drafted, draft_length=None if drafted == "none" else 4,
            grammar=grammar, **settings,
        )  # fmt: skip
        with load_pair(config, Interrupt()) as pair:
            prompt = pair.chat_tokens(messages or user("on the inn"))
            *_, finished = pair.session.generate(prompt, max_tokens=most)
            if not resumes:
                return finished
            *_, rest = pair.session.generate(
                [*prompt, *finished.tokens], index=len(finished.tokens), seed=finished.seed, max_tokens=200
            )
            return finished, rest

    return ask


def sampled(seed: int) -> dict:  # type: ignore[type-arg]
    return {"seed": seed, "sampling": {"temperature": 1.0}}


def check(finished: GenerationFinished, wanted: object) -> None:
    """Whatever came to its end validates; what did not says so."""
    if finished.complete:
        jsonschema.validate(json.loads(finished.text), wanted, format_checker=jsonschema.FormatChecker())
    else:
        assert finished.finish_reason == "length"


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_comes_to_its_end_meets_the_schema_whoever_drafts(answer, name):
    complete = 0
    for seed in range(3):
        plain = answer(schema(SCHEMAS[name]), **sampled(seed))
        check(plain, SCHEMAS[name])
        complete += bool(plain.complete)
        for draft in ("model", "ngram"):
            drafted = answer(schema(SCHEMAS[name]), draft=draft, **sampled(seed))
            assert (drafted.tokens, drafted.complete) == (plain.tokens, plain.complete)
    assert complete or name == "recursion"


@pytest.mark.parametrize("name", ["nested", "unicode keys", "references"])
@pytest.mark.parametrize("draft", ["none", "model"])
def test_rejection_and_the_best_token_meet_it_too(answer, name, draft):
    for settings in ({"verification": "rejection", **sampled(1)}, {"sampling": {"temperature": 0}}):
        finished = answer(schema(SCHEMAS[name]), draft=draft, **settings)
        assert finished.complete
        check(finished, SCHEMAS[name])


@pytest.mark.parametrize("tokenizer", ["bpe", "spm"])
def test_grammars_in_either_syntax_hold_for_either_tokenizer(answer, tokenizer):
    model = {"tokenizer": tokenizer, "n_vocab": 320}
    for text in ('start: "the " ("inn" | "tin")+ "."\n', 'root ::= "the " ("inn" | "tin")+ "."\n'):
        finished = answer(Grammar("grammar", text, "g"), model=model, most=400, **sampled(2))
        rest = finished.text.removeprefix("the ").replace("inn", "").replace("tin", "")
        assert rest == "." if finished.complete else rest.rstrip("in").rstrip("t") == ""


def test_an_answer_that_goes_on_goes_on_in_its_state(answer):
    whole = answer(schema(SCHEMAS["unicode keys"]), **sampled(3))
    first, rest = answer(schema(SCHEMAS["unicode keys"]), most=9, resumes=True, **sampled(3))
    assert first.complete is False
    assert (*first.tokens, *rest.tokens) == whole.tokens
    assert rest.complete


def test_free_text_is_neither_complete_nor_incomplete(answer):
    assert answer(None, most=5, **sampled(0)).complete is None


def test_what_the_reasoning_says_is_no_part_of_the_form(answer):
    model = {"control": ("<think>", "</think>"), "n_vocab": 310}
    thought = [answer(schema(SCHEMAS["enum"]), model=model, most=400, **sampled(seed)) for seed in range(12)]
    assert any(each.reasoning for each in thought)
    for each in thought:
        if each.text:
            check(each, SCHEMAS["enum"])


def test_an_answer_is_held_to_the_form_whatever_was_said_before(answer):
    chat = [Message("user", "on"), Message("assistant", "the inn"), Message("user", "in")]
    assert json.loads(answer(schema(SCHEMAS["const"]), messages=chat).text) == SCHEMAS["const"]["const"]


@pytest.mark.parametrize(
    ("kind", "text", "place"),
    [
        ("JSON schema", '{"a": ', "line 1, column 7"),
        ("JSON schema", "[]", "is an object"),
        ("JSON schema", '{"properties": {"a/b": {"items": {"type": "strnig"}}}}', "#/properties/a~1b/items"),
        ("JSON schema", '{"$ref": "#/$defs/no"}', "at #: pointer '/$defs/no' does not exist"),
        ("JSON schema", '{"anyOf": [{"type": "null"}, {"not": {"type": "null"}}]}', "#/anyOf/1"),
        ("JSON schema", '{"minimum": 3, "maximum": 2, "type": "integer"}', "greater than"),
        ("JSON schema", "false", "nsatisfiable"),
        ("JSON schema", '{"pattern": "(", "type": "string"}', "unclosed group"),
        ("grammar", 'start: "a" b\n', "line 1, column 8"),
        ("grammar", 'start: "x" start\n', "nothing meets it"),
        ("grammar", 'root ::= "a" b\n', "rule 'b' not found"),
        ("grammar", 'root ::= "a', "line 1"),
        ("grammar", "", "mpty"),
    ],
)
def test_a_form_that_cannot_be_used_is_named_with_its_place(kind, text, place):
    with pytest.raises(UsageError) as raised:
        check_grammar(Grammar(kind, text, "form.json"))
    assert raised.value.message.startswith("form.json ")
    assert place in raised.value.message
    assert "\n" not in raised.value.message


def test_tokens_that_a_grammar_names_are_those_of_the_model(answer):
    check_grammar(Grammar("grammar", 'start: <|im_start|> "a"', "g"))
    assert answer(Grammar("grammar", 'start: <|im_start|> "a"', "g")).text == "a"
    with pytest.raises(UsageError, match="unknown special token"):
        answer(Grammar("grammar", 'start: <|nosuch|> "a"', "g"))


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        (r'root ::= "\u0041" [\u0042-\U00000043]', "AB", "41"),
        ('root ::= "a" . "c"', "a\nc", "ac"),
        ('root ::= "a/./b" [^\\n]', "a/./bx", "a/x/bx"),
        ('root ::= "ä" [à-ü]+', "äé", "äe"),
    ],
)
def test_gbnf_means_what_it_means_to_llama_cpp(text, yes, no):
    from specchat.speculative.constraint.guidance import matchers

    make = matchers(Grammar("grammar", text, "g"), [*(bytes([byte]) for byte in range(256)), b"\xff<end>"], [256])
    assert make().move(0, list(yes.encode()))
    matcher = make()
    assert not (matcher.move(0, list(no.encode())) and matcher.allows(256))
