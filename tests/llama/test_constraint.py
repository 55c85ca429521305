"""Forms of answers on llama.cpp itself: whatever a random model says, it is what was asked for."""

import json
import random

import jsonschema
import pytest

from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.constraint.guidance import check_grammar, matchers
from specchat.speculative.drafting import FORM
from specchat.speculative.errors import UsageError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.constraint import constraint_on
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message

from ..tiny import CHATML, user

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
def load(write_tiny_model):
    """A function that loads a tiny random model, with another one that drafts or without."""

    def load_it(grammar, *, draft=None, model=None, **settings):  # type: ignore[no-untyped-def]
        model, one = model or {}, LlamaConfig(threads=1)
        drafted = write_tiny_model(**model, noise=0.2) if draft == "model" else draft or "none"
        return load_pair(
            PairConfig(
                target=write_tiny_model(**model),
                draft=drafted,
                draft_length=None if drafted == "none" else 4,
                target_config=one,
                draft_config=one,
                grammar=grammar,
                **settings,
            ),
            Interrupt(),
        )

    return load_it


@pytest.fixture
def answer(load):
    """A function that asks a model that it loads; with `resumes`, the answer goes on where it was cut."""

    def ask(grammar, *, most=200, messages=None, resumes=False, **settings):  # type: ignore[no-untyped-def]
        with load(grammar, **settings) as pair:
            prompt = pair.chat_tokens(messages or user("on the inn"))
            *_, finished = pair.session.generate(prompt, max_tokens=most)
            if not resumes:
                return finished
            prompt, index = [*prompt, *finished.tokens], len(finished.tokens)
            *_, rest = pair.session.generate(prompt, index=index, seed=finished.seed, max_tokens=200)
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
def test_what_comes_to_its_end_meets_the_schema_whoever_drafts(load, name):
    answers = []
    for draft in (None, "model", "ngram"):
        with load(schema(SCHEMAS[name]), draft=draft, sampling={"temperature": 1.0}) as pair:
            answers.append([_answer(pair, seed) for seed in range(3)])
    for finished in answers[0]:
        check(finished, SCHEMAS[name])
    plain, *drafted = ([(each.tokens, each.complete) for each in some] for some in answers)
    assert drafted == [plain, plain]
    assert any(complete for _, complete in plain) or name == "recursion"


def _answer(pair: Pair, seed: int) -> GenerationFinished:
    pair.session.start_over(seed=seed)
    *_, finished = pair.session.generate(pair.chat_tokens(user("on the inn")), max_tokens=200)
    assert isinstance(finished, GenerationFinished)
    return finished


@pytest.mark.parametrize("name", ["nested", "unicode keys", "references"])
@pytest.mark.parametrize("draft", [None, "model"])
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


def test_the_form_guesses_beside_n_grams_and_is_told_apart(answer):
    finished = answer(schema(SCHEMAS["const"]), draft="ngram", **sampled(1))
    assert finished.complete
    assert finished.stats.drafted_by[FORM] > 0


def test_free_text_is_neither_complete_nor_incomplete(answer):
    assert answer(None, most=5, **sampled(0)).complete is None


def test_what_the_reasoning_says_is_no_part_of_the_form(answer):
    opens = CHATML.replace("assistant\n{% endif %}", "assistant\n<think>\n{% endif %}")
    model = {"control": ("<think>", "</think>"), "n_vocab": 310, "template": opens}
    even = {"temperature": 2.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
    for seed in range(6):
        plain, drafted = (
            answer(schema(SCHEMAS["enum"]), model=model, most=700, seed=seed, sampling=even, draft=draft)
            for draft in (None, "model")
        )
        assert plain.reasoning
        assert plain.tokens == drafted.tokens
        if plain.complete:
            check(plain, SCHEMAS["enum"])
            return
    raise AssertionError("none of them came to its answer")


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
        ("grammar", "start: /[^\\x00-\\u{10FFFF}]/\n", "cannot be used"),
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
    make = matchers(Grammar("grammar", text, "g"), [*(bytes([byte]) for byte in range(256)), b"\xff<end>"], [256])
    assert make().move(0, list(yes.encode()))
    matcher = make()
    assert not (matcher.move(0, list(no.encode())) and matcher.allows(256))


def test_tokens_of_which_one_may_not_come_are_not_read_at_all():
    grammar = Grammar("grammar", 'root ::= "ab" | "c"', "g")
    matcher = matchers(grammar, [b"a", b"b", b"c", b"\xff<end>"], [3])()
    assert not matcher.move(0, [0, 2])
    assert matcher.move(0, [2])


@pytest.mark.parametrize("tokenizer", ["bpe", "spm"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_the_mask_allows_what_is_allowed_one_by_one(write_tiny_model, name, tokenizer):
    with LlamaModel.load(write_tiny_model(tokenizer=tokenizer, n_vocab=320), LlamaConfig(threads=1)) as model:
        make = constraint_on(model.vocabulary, schema(SCHEMAS[name]))
        assert make is not None
        matcher, chance = make(), random.Random(name)
        for _ in range(25):
            mask = matcher.mask().tolist()
            assert mask == [matcher.allows(token) for token in range(320)]
            going_on = [token for token in range(320) if mask[token] and not model.vocabulary.is_end(token)]
            if not going_on:
                break
            assert matcher.move(0, [chance.choice(going_on)])
