"""`run --compare`: whole outputs, by a scripted model on a clock that moves a second at each look."""

import json
import signal
from dataclasses import replace

import pytest

from specchat.cli.comparison import Comparison
from specchat.speculative.explain import Parting

from .fakes import END, World

RUN = ("run", "-m", "big.gguf", "--compare")
ANSWER = "abcabcabcabcxyz"


def world(*arguments, **settings):
    return World(**{"answers": [ANSWER] * 9, **settings}).run(*RUN, *arguments)


def differing(plain, drafted, parting):
    """The comparison of two scripted answers."""
    answers = [json_free_answer(text) for text in (plain, drafted)]
    return Comparison([answers[0]], [answers[1]], parting, lambda token: bytes([token]) if token < END else b"")


def json_free_answer(text):
    """What a session says of an answer."""
    running = World(answers=[text])
    running.run("run", "-m", "big.gguf", "Hi")
    session = running.pair.session
    *_, last = session.afresh(session.decoder, 1).generate([*b"Hi", 257], max_tokens=50)
    return last


def test_both_answers_and_what_they_took_are_the_output():
    done = world("Hi")
    assert (done.code, done.err) == (0, "")
    assert done.out.count(ANSWER) == 2
    lines = done.out.splitlines()
    assert lines[0] == "--- Plain: one token a pass"
    assert lines[4] == "--- Drafted: guesses, checked together"
    assert lines[-4].split()[0] == "plain"
    assert lines[-4].endswith("for 16 tokens in 16 passes")
    assert lines[-3].split()[0] == "drafted"
    assert "tokens in 16" not in lines[-3]
    assert lines[-2].startswith("Drafting was ")
    assert lines[-1] == "It is the same text, byte for byte."


def test_both_start_from_empty_caches():
    done = world("Hi")
    passes = done.pair.session.decoder.target.passes
    assert sum(len(each) > 1 and each[:2] == list(b"Hi") for each in passes) == 2


def test_a_parting_is_told_with_its_place_and_why():
    tie = Parting(place=3, distance=0.0004, rounding=0.0145)
    lines = list(differing("abc d", "abcxd", tie).lines())
    assert lines[-2] == "The texts part at token 4, after 3 characters: plain goes on with '\xa0', drafted with 'x'."
    assert lines[-1].startswith("A near tie: moving each logit by 0.0004 swaps the two")
    assert "--exact" in lines[-1]
    bug = list(differing("abc d", "abcxd", replace(tie, distance=0.5)).lines())
    assert bug[-1].startswith("No near tie: swapping the two takes 0.5 on each logit, but ")
    assert "bug" in bug[-1]
    assert "one goes on where the other ends" in list(differing("abc", "ab", None).lines())[-1]


def test_json_holds_both_answers_and_the_parting():
    found = json.loads(world("--json", "Hi").out)
    assert found["plain"]["text"] == found["drafted"]["text"] == ANSWER
    assert (found["plain"]["draft"], found["drafted"]["draft"]) == ("none", "ngram")
    assert found["plain"]["speculation"]["drafted"] == 0 < found["drafted"]["speculation"]["drafted"]
    assert found["same_text"] is True
    assert found["parting"] is None
    assert found["speedup"] > 0
    tie = differing("abcd", "abcx", Parting(place=3, distance=0.1, rounding=0.2)).content()
    assert tie["parting"] == {"place": 3, "distance": 0.1, "rounding": 0.2, "near_tie": True}


def test_lines_fit_a_narrow_terminal():
    shown = world("Hi", screen=True, stdin=None, columns=40)
    assert max(map(len, shown.transcript.splitlines())) <= 40


def test_ctrl_c_ends_it_by_the_signal():
    def interrupt(running: World, count: int) -> None:
        if count == 12:
            signal.raise_signal(signal.SIGINT)

    assert world("Hi", on_pass=interrupt).code == -signal.SIGINT


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draft", "none", "Hi"], "nothing to compare"),
        (["--verification", "rejection", "Hi"], "the text depends on the draft"),
        (["-i", "Hi"], "--compare answers one prompt"),
    ],
)
def test_what_cannot_be_compared_is_told(arguments, message):
    done = world(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
