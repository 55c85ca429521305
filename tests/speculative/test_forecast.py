"""What a form leaves no choice about, against all its texts; and the white space that JSON leaves open."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.constraint.forecast import Forecast
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.constraint.guidance import byte_matchers
from specchat.speculative.constraint.json_style import white_space
from specchat.speculative.errors import IncompleteError
from specchat.speculative.model import common_prefix

from .grammars import ListedMatcher

END = 999
SENTENCES = st.lists(st.text("abc", max_size=6).map(str.encode), min_size=1, max_size=6)
PERSON = {
    "type": "object",
    "properties": {
        "name": {"enum": ["Ada", "Adam", "Bob"]},
        "at": {
            "type": "object",
            "properties": {"town": {"const": "Köln"}, "zip": {"type": "integer"}},
            "required": ["town", "zip"],
            "additionalProperties": False,
        },
        "ok": {"type": "boolean"},
    },
    "required": ["name", "at", "ok"],
    "additionalProperties": False,
}


def piece(token: int) -> bytes:
    return bytes([token])


def listed(sentences: Sequence[bytes]) -> Forecast:
    """Over bytes, each of which is a token."""
    matcher = ListedMatcher([tuple(each) for each in sentences], 257, 256)
    return Forecast(matcher, lambda text: list(text.encode()), piece, END, False)


def coming(forecast: Forecast, text: bytes) -> list[int]:
    return [guess.token for guess in forecast.guesses(list(text))]


@given(SENTENCES, st.data())
def test_what_has_to_come_is_what_all_texts_have_in_common(sentences: list[bytes], data: st.DataObject):
    forecast = listed(sentences)
    for _ in range(4):  # one forecast goes to and fro
        sentence = data.draw(st.sampled_from(sentences))
        before = sentence[: data.draw(st.integers(0, len(sentence)))]
        rests = {each[len(before) :] for each in sentences if each.startswith(before)}
        first, last = min(rests), max(rests)  # what these two share, all do
        shared = first[: common_prefix(first, last)]
        assert coming(forecast, before) == [*shared, *([END] if rests == {shared} else [])]


def test_the_last_guess_is_sure_only_where_the_text_ends_behind_it():
    assert [guess.lead for guess in listed([b"abc"]).guesses([])] == [1, 1, 1, 1]
    assert [guess.lead for guess in listed([b"abc", b"abd"]).guesses([])] == [1, 0]


def test_what_was_foreseen_is_not_looked_for_again():
    forecast = listed([b"abcdx", b"abcdy"])
    assert coming(forecast, b"") == [*b"abcd"]
    assert isinstance(forecast.matcher, ListedMatcher)
    looked = forecast.matcher.masks
    assert [coming(forecast, b"abcd"[:count]) for count in (1, 2, 3)] == [[*b"bcd"], [*b"cd"], [*b"d"]]
    assert forecast.matcher.masks == looked
    assert coming(forecast, b"abcd") == []


def test_behind_what_the_grammar_does_not_read_nothing_is_guessed():
    forecast = listed([b"abc"])
    assert coming(forecast, b"x") == []
    assert coming(forecast, b"a") == [*b"bc", END]


def test_a_tokenizer_that_cannot_say_a_text_says_its_beginning():
    forecast = listed(["aéb".encode()])
    forecast.tokenize = lambda text: [*b"a", *b"?"]
    assert coming(forecast, b"") == [*b"a"]


def test_half_a_character_waits_for_the_other_half():
    forecast = listed(["aä".encode(), "aé".encode()])
    assert coming(forecast, b"") == [*b"a"]
    assert coming(listed(["ä".encode()]), "ä".encode()[:1]) == []


def test_who_cannot_follow_a_grammar_guesses_nothing():
    class TooHard(ListedMatcher):
        def move(self, back: int, tokens: Sequence[int]) -> bool:
            raise IncompleteError("too hard")

    forecast = Forecast(TooHard([(1, 2)], 257, 256), lambda text: list(text.encode()), piece, END, False)
    assert list(forecast.guesses([1])) == []


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("", "{"),
        ("{", ""),
        ("{ ", '"name": "'),
        ("{\n ", ""),
        ('{"name": "A', "da"),
        ('{"name": "B', 'ob", "at": {"town": "Köln", "zip":'),
        ('{"name":"B', 'ob","at":{"town":"Köln","zip":'),
        ('{\n  "name": "B', 'ob",\n  "at": {\n    "town": "Köln",\n    "zip":'),
        ('{\n  "name": "Bob",\n', '  "at": {\n    "town": "Köln",\n    "zip":'),
        ('{"name": "Bob", "at": {"town": "Köln", "zip": 1', ""),
        ('{"name": "Bob", "at": {"town": "Köln", "zip": 1}', ', "ok":'),
        ('{\n "name": "Bob",\n "at": {\n  "town": "Köln",\n  "zip": 1\n', ' },\n "ok":'),
        ('{"name": "Bob", "at": {"town": "Köln", "zip": 1}, "ok": t', "rue}"),
        ('{\n\t"name": "Bob",\n\t"at": {\n\t\t"town": "Köln",\n\t\t"zip": 1\n\t},\n\t"ok": t', "rue\n}"),
    ],
)
def test_json_goes_on_with_the_white_space_that_it_has_so_far(before: str, text: str):
    make = byte_matchers(Grammar("JSON schema", json.dumps(PERSON), "the schema"))
    assert make is not None
    forecast = Forecast(make(), lambda text: list(text.encode()), piece, END, True)
    guessed = coming(forecast, before.encode())
    whole = text.endswith("}") and "ok" in before
    assert guessed == [*text.encode(), *([END] if whole else [])]


@pytest.mark.parametrize(
    ("text", "following", "space"),
    [
        ('{"a": [', '"', ""),
        ('{"a"', ":", ""),
        ('[\n  1,\n  {"a": 2}', "]", "\n"),
        ("[1,", "2", " "),
        ("[\n\n    {", '"', "\n        "),
        ("{\n  ", '"', None),
    ],
)
def test_white_space_by_examples(text: str, following: str, space: str | None):
    assert white_space(text.encode(), ord(following)) == (None if space is None else space.encode())


def test_a_grammar_that_names_tokens_has_no_forecast():
    assert byte_matchers(Grammar("grammar", 'start: <|im_start|> "a"', "g")) is None
