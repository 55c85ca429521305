"""`--logprobs`, and the samplers that are off by default, on the command line."""

import json

import pytest

from specchat.cli.answering.logprobs_json import logprobs_content
from specchat.speculative.logprobs import ScoredToken, TokenLogprob
from specchat.speculative.reasoning.tags import Tags

from .fakes import END, World

MODEL = ("run", "-m", "big.gguf")


def test_json_says_how_likely_each_token_was():
    answer = json.loads(World(answers=["Hi."]).run(*MODEL, "--json", "--logprobs", "2", "x").out)
    content = answer["logprobs"]["content"]
    assert [each["id"] for each in content] == [*b"Hi.", END]
    assert [each["bytes"] for each in content] == [[72], [105], [46], None]
    first = content[0]
    assert (first["token"], first["sampled_logprob"]) == ("H", 0.0)
    best, other = first["top_logprobs"]
    assert (best["id"], best["logprob"]) == (72, first["logprob"])
    assert other["sampled_logprob"] is None


def test_a_token_is_written_as_openai_writes_it():
    scored = ScoredToken(TokenLogprob(7, -0.5, -0.25), (TokenLogprob(9, -0.1, float("-inf")),))
    [content] = logprobs_content([scored], lambda token: ("é", "é".encode()))["content"]
    assert content == {
        "token": "é",
        "id": 7,
        "logprob": -0.5,
        "sampled_logprob": -0.25,
        "bytes": [195, 169],
        "is_reasoning": False,
        "top_logprobs": [
            {"token": "é", "id": 9, "logprob": -0.1, "sampled_logprob": None, "bytes": [195, 169]},
        ],
    }


@pytest.mark.parametrize("command", [MODEL, ("complete", "-m", "big.gguf")])
def test_the_events_of_rounds_have_those_of_their_tokens(command):
    lines = World(answers=["Hello."]).run(*command, "--events", "--logprobs", "0", "x").out.splitlines()
    events = [json.loads(line) for line in lines]
    told = [each for event in events if event["event"] == "round" for each in event["logprobs"]["content"]]
    assert told == events[-1]["logprobs"]["content"]
    assert [each["top_logprobs"] for each in told] == [[]] * 7


@pytest.mark.parametrize(
    ("text", "thoughts"),
    [
        ("<think>Hm.</think>\n\nYes.", "<think>Hm.</think>\n\n"),
        ("<thin ice", ""),
        ("<think>Hm", "<think>Hm"),
        (" \n", ""),
    ],
)
def test_the_tokens_of_reasoning_are_marked_with_the_marks_around_them(text, thoughts):
    world = World(answers=[text], reasoning=Tags("<think>", "</think>"))
    lines = world.run(*MODEL, "--events", "--logprobs", "0", "x").out.splitlines()
    *events, finished = map(json.loads, lines)
    content = finished["logprobs"]["content"]
    assert "".join(each["token"] for each in content if each["is_reasoning"] and each["bytes"]) == thoughts
    told = [each for event in events if event["event"] == "round" for each in event["logprobs"]["content"]]
    for early, late in zip(told, content, strict=True):
        assert early in (late, {**late, "is_reasoning": None})
    assert "".join(each["token"] for each in told if each["is_reasoning"] is False and each["bytes"]) in text


def test_each_answer_of_a_batch_has_its_own():
    out = World(answers=["One.", "Two"], stdin=b"a\nb\n").run(*MODEL, "--batch", "-", "--logprobs", "1").out
    lengths = [len(json.loads(line)["logprobs"]["content"]) for line in out.splitlines()]
    usage = [json.loads(line)["usage"]["completion_tokens"] for line in out.splitlines()]
    assert lengths == usage
    assert all(lengths)


def test_tokens_behind_a_stop_string_are_not_there():
    answer = json.loads(World(answers=["one two"]).run(*MODEL, "--json", "--logprobs", "0", "-r", " t", "x").out)
    assert answer["text"] == "one"
    assert "".join(each["token"] for each in answer["logprobs"]["content"]) == "one t"


def test_unasked_there_are_none():
    assert "logprobs" not in json.loads(World().run(*MODEL, "--json", "x").out)
    assert "logprobs" not in World().run(*MODEL, "--events", "x").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--logprobs", "2", "x"], "--logprobs is for JSON."),
        (["--logprobs", "2", "--json", "--compare", "x"], "--logprobs is for one answer, and --compare gives two."),
        (["--mirostat", "2", "x"], "There is no option --mirostat."),
        (["--logit-bias", "5", "x"], "'5' is no logit bias."),
        (["--dry-base", "0.5", "x"], "0.5 is out of range."),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    world = World().run(*MODEL, *options)
    assert (world.code, world.out) == (2, "")
    assert message in world.err.splitlines()[0]
    assert "hint: " in world.err


def test_mirostat_is_refused_with_the_reason():
    assert "could not be checked together" in World().run(*MODEL, "--mirostat", "2", "x").err.replace("\n", " ")


def sampled(*options):
    return dict(World().run(*MODEL, *options, "x").pair.config.sampling)


def test_the_samplers_are_spelled_as_in_llama_cpp():
    assert sampled("--typical", "0.9", "--top-n-sigma", "1.5") == {"typical_p": 0.9, "top_n_sigma": 1.5}
    assert sampled("--xtc-probability", "0.5", "--xtc-threshold", "0.2") == {
        "xtc_probability": 0.5,
        "xtc_threshold": 0.2,
    }
    found = sampled("--dry-multiplier", "0.8", "--dry-base", "2", "--dry-allowed-length", "3")
    assert found == {"dry_multiplier": 0.8, "dry_base": 2.0, "dry_allowed_length": 3}
    assert sampled("--dry-penalty-last-n", "-1") == {"dry_penalty_last_n": -1}
    assert sampled("--logit-bias", "15043+1", "-l", "7-inf") == {"logit_bias": ("15043+1", "7-inf")}


def test_breakers_replace_the_usual_ones_and_none_is_nothing():
    option = "--dry-sequence-breaker"
    assert sampled(option, ";", option, "\n") == {"dry_sequence_breakers": (";", "\n")}
    assert sampled(option, "none") == {"dry_sequence_breakers": ()}
    assert sampled(option, ";", option, "none", option, ",") == {"dry_sequence_breakers": (",",)}


def test_they_can_be_set_and_shown_in_a_chat():
    lines = ["/set typical 0.5", "/set logit-bias 5+1 6-2", "/set dry-sequence-breaker none", "/show"]
    world = World(stdin=None, screen=True, lines=lines).run(*MODEL)
    params = world.pair.session.decoder.chain.params
    assert (params.typical_p, params.logit_bias, params.dry_sequence_breakers) == (0.5, ("5+1", "6-2"), ())
    shown = {
        line.split()[0]: line.split(maxsplit=1)[1] for line in world.transcript.splitlines() if " " in line.strip()
    }
    assert (shown["logit_bias"], shown["dry_sequence_breakers"]) == ("'5+1', '6-2'", "none")
    assert "xtc_probability" not in shown
