"""`run --compare`: whole outputs, by a scripted model on a clock that moves a second at each look."""

import json
import signal
from dataclasses import replace
from math import inf

import pytest

from specchat.cli.answering.comparison import Comparison, content, texts
from specchat.speculative.explain import Parting

from .fakes import END, World

RUN = ("run", "-m", "big.gguf", "--compare")
ANSWER = "abcabcabcabcxyz"


def world(*arguments, **settings):
    return World(**{"answers": [ANSWER] * 9, **settings}).run(*RUN, *arguments)


def answer(text):
    """What a session says of a scripted answer."""
    running = World(answers=[text]).run("run", "-m", "big.gguf", "Hi")
    session = running.pair.session
    *_, last = session.afresh(session.decoder, 1).generate([*b"Hi", 257], max_tokens=50)
    return last


def piece(token):
    return bytes([token]) if token < END else b""


def lines(plain, drafted, parting, exact=False):
    """What is said of two answers."""
    return list(texts(Comparison([answer(plain)], [answer(drafted)]), parting, piece, exact))


def taking(tokens, prompt, seconds):
    """An answer of so many tokens that took so long."""
    found = answer("a" * (tokens - 1))
    return replace(found, stats=replace(found.stats, prompt_seconds=prompt, predicted_seconds=seconds, drafted=3))


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
    assert done.pair.costs_measured
    passes = done.pair.session.decoder.target.passes
    assert sum(len(each) > 1 and each[:2] == list(b"Hi") for each in passes) == 2


def test_a_parting_is_told_with_its_place_and_why():
    tie = Parting(place=3, distance=0.0004, rounding=0.0145)
    where, why = lines("abc d", "abcxd", tie)
    assert where == "The texts part at token 4, after 3 characters: plain goes on with '\xa0', drafted with 'x'."
    assert why.startswith("A near tie: moving each logit by 0.0004 swaps the two")
    assert why.endswith("--exact looks for settings under which they do not.")
    _, bug = lines("abc d", "abcxd", replace(tie, distance=0.5))
    assert bug.startswith("No near tie: swapping the two takes 0.5 on each logit, but ")
    assert "bug" in bug
    _, broken = lines("abc d", "abcxd", tie, exact=True)
    assert "are not exact here" in broken
    assert "bug" in broken
    assert "one goes on where the other ends" in lines("abc", "ab", None)[-1]
    assert lines("abc", "abc", None) == ["It is the same text, byte for byte."]


def test_what_differs_in_a_repetition_is_found():
    same, other = answer("abc"), answer("abd")
    assert Comparison([same, same], [same, other]).different == other
    assert Comparison([same, same], [same, same]).different is None


def test_answers_of_different_lengths_are_compared_for_as_many_tokens():
    plain, drafted = taking(11, 10.0, 1.0), taking(41, 10.0, 4.0)
    assert Comparison([plain], [drafted]).speedup == pytest.approx(1)
    assert Comparison([plain], [taking(11, 1.0, 0.1)]).speedup == pytest.approx(10)


def test_times_of_an_answer_that_nothing_was_drafted_for_say_nothing():
    slow, fast = taking(11, 10.0, 1.0), taking(11, 5.0, 0.5)
    idle = replace(fast, stats=replace(fast.stats, drafted=0))
    assert "noise" in list(Comparison([slow], [idle]).times())[-1]


def test_one_pair_says_about_and_several_their_median():
    fast = taking(11, 5.0, 0.5), taking(11, 4.0, 0.4), taking(11, 2.0, 0.2)
    plain = taking(11, 10.0, 1.0)
    assert list(Comparison([plain], fast[:1]).times())[-1] == "Drafting was about 2.0 times as fast."
    assert list(Comparison([plain] * 3, fast).times())[-1] == (
        "Drafting was 2.50 times as fast, by the median of 3 repetitions."
    )
    assert list(Comparison([plain], [plain]).times())[-1] == "Drafting was not faster this time."


def test_json_holds_both_answers_and_the_parting():
    found = json.loads(world("--json", "Hi").out)
    assert found["plain"]["text"] == found["drafted"]["text"] == ANSWER
    assert (found["plain"]["draft"], found["drafted"]["draft"]) == ("none", "ngram")
    assert found["plain"]["speculation"]["drafted"] == 0 < found["drafted"]["speculation"]["drafted"]
    assert found["same_text"] is True
    assert found["parting"] is None
    assert found["speedup"] > 0
    comparison = Comparison([answer("abcd")], [answer("abcx")])
    tie = Parting(place=3, distance=0.1, rounding=0.2)
    assert content(comparison, tie)["parting"] == {"place": 3, "distance": 0.1, "rounding": 0.2, "near_tie": True}
    bug = replace(tie, distance=inf)
    assert content(comparison, bug)["parting"] == {"place": 3, "distance": None, "rounding": 0.2, "near_tie": False}


def test_statistics_of_both_are_shown_where_they_are_asked_for():
    assert world("--stats", "Hi").err.count("context ") == 2
    assert "context " not in world("Hi").err


def test_a_prompt_that_is_too_long_is_told_before_anything_is_answered():
    done = world("Hi" * 600)
    assert (done.code, done.out) == (7, "")


def test_lines_fit_a_narrow_terminal():
    shown = world("Hi", screen=True, stdin=None, columns=40)
    assert max(map(len, shown.transcript.splitlines())) <= 40


def test_whenever_ctrl_c_comes_it_ends_by_the_signal_and_nothing_is_told():
    def run(when: int | None) -> tuple[int, int]:
        def interrupt(running: World, count: int) -> None:
            passes.append(count)
            if count == when:
                signal.raise_signal(signal.SIGINT)

        passes: list[int] = []
        done = world("Hi", on_pass=interrupt)
        assert "error" not in done.err
        return done.code, len(passes)

    code, passes = run(None)
    assert code == 0
    assert {run(when)[0] for when in range(0, passes, 5)} == {-signal.SIGINT}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--draft", "none", "Hi"], "nothing to compare"),
        (["--draft-length", "0", "Hi"], "nothing to compare"),
        (["--verification", "rejection", "Hi"], "the text depends on the draft"),
        (["-i", "Hi"], "--compare answers one prompt"),
    ],
)
def test_what_cannot_be_compared_is_told(arguments, message):
    done = world(*arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
