"""The fuzzer itself: it repeats itself, it notices what is wrong, and a short run finds nothing."""

import subprocess
import sys
from dataclasses import replace

import pytest

from specchat.speculative.logprobs import ScoredToken, TokenLogprob

from .case import Case
from .drawing import draw
from .judging import complaint
from .oracle import Expected
from .said import Asked, Said

ASKED = Asked(prompt=(1, 2), index=0, seed=5, max_tokens=9, stop=(), sampling={})


def score(logprob: float) -> ScoredToken:
    return ScoredToken(TokenLogprob(7, logprob, 0.0), ())


RIGHT = Said(
    asked=ASKED, ending="whole", tokens=(7, 8), text="ab", reasoning="r", reason="stop", seed=5, scored=(score(-1.0),)
)
WRONG = {
    "tokens": (7, 9),
    "text": "ac",
    "reasoning": "",
    "reason": "length",
    "seed": 6,
    "error": "It failed.",
    "complete": True,
    "scored": (score(-1.001),),
}


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=100)


def test_a_short_run_finds_nothing():
    done = run("-m", "tests.fuzz", "--cases", "12", "--seed", "2")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done.stdout + done.stderr
    assert "12 cases" in done.stdout
    assert "wrong 0" in done.stdout


def test_a_number_is_a_case_and_a_line_leads_back_to_it():
    case = draw(3, 14)
    assert case == draw(3, 14)
    assert case != draw(3, 15)
    assert case.line() == "python -m tests.fuzz --seed 3 --case 14"
    part, other = list(case.parts())[:2]
    less = case.without(part).without(other)
    assert less.line().endswith(f" --without {part},{other}")
    assert {part, other}.isdisjoint(less.parts())


@pytest.mark.parametrize("number", range(30))
def test_whatever_can_be_left_out_is_left_out(number: int):
    case: Case = draw(1, number)
    for part in list(case.parts()):
        less = case.without(part)
        assert part == "draft" or part not in less.parts()
        assert replace(less, left_out=()) != case


@pytest.mark.parametrize("name", WRONG)
def test_anything_that_differs_is_wrong(name: str):
    assert complaint(RIGHT, Expected(RIGHT), faults=False) is None
    assert complaint(replace(RIGHT, **{name: WRONG[name]}), Expected(RIGHT), faults=False)


def test_what_was_cut_is_the_beginning():
    upto = replace(RIGHT, tokens=(7,), text="a", reason="length")
    cut = replace(upto, ending="cut", reason="cancelled")
    assert complaint(cut, Expected(RIGHT, upto), faults=False) is None
    assert complaint(replace(cut, text="b"), Expected(RIGHT, upto), faults=False)
    assert complaint(replace(cut, tokens=(8,)), Expected(RIGHT, upto), faults=False)
    nothing = replace(cut, tokens=(), text="", reasoning="", scored=())
    assert complaint(nothing, Expected(RIGHT), faults=False) is None
    assert complaint(replace(nothing, text="a"), Expected(RIGHT), faults=False)


def test_what_was_not_read_to_the_end_is_the_beginning():
    dropped = replace(RIGHT, ending="dropped", tokens=(), text="a", reason="", scored=())
    assert complaint(dropped, Expected(RIGHT), faults=False) is None
    assert complaint(replace(dropped, text="b"), Expected(RIGHT), faults=False)
    assert complaint(replace(dropped, scored=(score(-2.0),)), Expected(RIGHT), faults=False)


def test_an_answer_in_parts_is_the_answer_at_once():
    asked = replace(ASKED, prompt=(1, 2, 6), index=1)
    said = replace(RIGHT, asked=asked)
    assert complaint(said, Expected(said, at_once=replace(RIGHT, tokens=(6, 7, 8))), faults=False) is None
    assert complaint(said, Expected(said, at_once=replace(RIGHT, tokens=(6, 7, 9))), faults=False)


def test_an_error_is_wrong_unless_something_was_made_to_fail():
    failed = replace(RIGHT, ending="cut", reason="error", error="It failed.")
    assert complaint(failed, Expected(RIGHT, RIGHT), faults=False)
    assert complaint(failed, Expected(RIGHT, RIGHT), faults=True) is None


@pytest.mark.parametrize(("job", "found"), [("os.abort", "died"), ("time.sleep, 60", "hangs")])
def test_a_process_that_dies_or_hangs_is_found(job: str, found: str):
    program = f"import os, time\nfrom tests.fuzz.processes import Processes\nProcesses(0.5).alone({job})"
    done = run("-c", f"{program}")
    assert found in done.stderr.splitlines()[-1], done.stderr
