"""Reasoning: dimmed or folded on a terminal, apart in JSON, never in pipes and files."""

import json
import re
from pathlib import Path

import pytest

from specchat.speculative.reasoning.harmony import Harmony
from specchat.speculative.reasoning.tags import Tags

from .fakes import World

TAGS = Tags("<think>", "</think>")
ANSWER = "<think>\nHm. Yes!\n</think>\n\nYes.\n\nIt is."
M = ("run", "-m", __file__, "--draft", "none")


def world(*answers: str, **options) -> World:  # type: ignore[no-untyped-def]
    return World(answers=answers or (ANSWER,), reasoning=TAGS, **options)


def test_a_pipe_gets_the_answer_alone():
    assert world().run(*M, "-q", "why").out == "Yes.\n\nIt is.\n"


@pytest.mark.parametrize("options", [("-o", "answer.txt"), ("-o", "answer.txt", "--think", "on")])
def test_a_file_gets_the_answer_alone(options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert world().run(*M, "-q", "why", *options).code == 0
    assert (tmp_path / "answer.txt").read_text() == "Yes.\n\nIt is.\n"


def test_an_extracted_block_is_one_of_the_answer():
    answer = "<think>```\nwrong\n```</think>```\nright\n```"
    assert world(answer).run(*M, "-q", "-x", "why").out == "right\n"


def test_json_keeps_reasoning_apart():
    content = json.loads(world().run(*M, "--json", "why").out)
    assert (content["text"], content["reasoning"]) == ("Yes.\n\nIt is.", "Hm. Yes!")
    assert json.loads(world("Yes.").run(*M, "--json", "why").out)["reasoning"] is None


def test_events_keep_reasoning_apart():
    lines = [json.loads(line) for line in world().run(*M, "--events", "why").out.splitlines()]
    texts = {kind: "".join(line["text"] for line in lines if line["event"] == kind) for kind in ("reasoning", "text")}
    assert texts == {"reasoning": "Hm. Yes!", "text": "Yes.\n\nIt is."}


def test_on_a_terminal_reasoning_is_dimmed_above_the_answer():
    out = world(screen=True, stdin=None).run(*M, "why").out
    dimmed = re.findall(r"\x1b\[2m([^\x1b]*)\x1b\[0m", out)
    assert "".join(dimmed).startswith("Hm. Yes!")
    assert "Yes.\n\nIt is.\n" in re.sub(r"\x1b\[2m[^\x1b]*\x1b\[0m", "", out)
    assert world(screen=True, stdin=None).run(*M, "why").transcript.startswith("Hm. Yes!\n\nYes.\n\nIt is.\n")


def test_without_colours_words_stand_around_reasoning():
    shown = world(screen=True, stdin=None, variables={"NO_COLOR": "1"}).run(*M, "-q", "why").transcript
    assert shown == "Thinking …\n\nHm. Yes!\n\n… done thinking.\n\nYes.\n\nIt is.\n"


def test_folded_reasoning_leaves_one_line():
    shown = world(screen=True, stdin=None).run(*M, "--think", "hide", "why").transcript
    assert shown.startswith("Thought for # s, 19 tokens.\nYes.\n\nIt is.\n")
    quiet = world(screen=True, stdin=None).run(*M, "-q", "--think", "hide", "why").transcript
    assert quiet == "Yes.\n\nIt is.\n"


def test_while_it_is_folded_a_line_says_how_far_it_is():
    assert "thinking · 5 tokens" in world(screen=True, stdin=None).run(*M, "--think", "hide", "why").out


@pytest.mark.parametrize("script", [(), ("-x",), ("--events",), ("--json",), ("-o", "old.txt")])
@pytest.mark.parametrize(("answer", "said"), [(ANSWER, "is cut before it began"), ("<think>Hm.", "gave no answer")])
def test_reasoning_without_an_answer_is_none(
    script: tuple[str, ...], answer: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.txt").write_text("old")
    ended = world(answer).run(*M, "-n", "12", "why", *script)
    assert ended.code == 1
    assert said in ended.err
    assert (tmp_path / "old.txt").read_text() == "old"
    assert (
        [json.loads(line) for line in ended.out.splitlines()] if set(script) & {"--json", "--events"} else not ended.out
    )


def test_many_answers_that_did_not_begin_are_counted_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("In it.")
    each = world().run(*M, "-n", "12", "--each", "a.txt", "-o", "{name}.out")
    assert (each.code, [*tmp_path.glob("*.out")]) == (1, [])
    assert "a.txt: The answer is cut before it began." in each.err
    batch = world().run(*M, "-n", "12", "--batch", "a.txt")
    line = json.loads(batch.out)
    assert (line["text"], line["reasoning"], line["exit_code"]) == ("", "Hm.", 1)


def test_a_comparison_of_answers_that_did_not_begin_says_so():
    ended = world().run("run", "-m", __file__, "--compare", "-n", "12", "why")
    assert "The answer is cut before it began." in ended.err


def test_in_a_chat_an_answer_that_did_not_begin_can_go_on():
    ended = world(screen=True, stdin=None, lines=("why", "/copy", "/set n 100", "/continue", "so")).run(*M, "-n", "12")
    assert "hint: /continue lets it think on; after /think off, /regen answers at once." in ended.transcript
    assert "The last answer is empty." in ended.transcript
    assert [message.content for message in ended.pair.chats[-1]] == ["why", "Yes.\n\nIt is.", "so"]


@pytest.mark.parametrize(("word", "thinks"), [("on", True), ("off", False), ("hide", None)])
def test_the_option_is_told_to_the_template(word: str, thinks: bool | None):
    assert world().run(*M, "--think", word, "why").pair.config.thinks is thinks
    assert world().run(*M, "why").pair.config.thinks is None


def test_many_files_are_answered_with_folded_reasoning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("In it.")
    asked = (*M, "why", "--each", "a.txt")
    assert "Hm." in world(screen=True).run(*asked).transcript
    folded = world(screen=True).run(*asked, "--think", "hide").transcript
    assert "Hm." not in folded
    assert "Thought for # s, 19 tokens." in folded


def test_reasoning_begins_on_a_line_of_its_own_behind_a_long_prompt():
    for variables in ({}, {"NO_COLOR": "1"}):
        ended = world(screen=True, variables=variables).run(*M, "why" * 200)
        assert ended.transcript.startswith(("Hm.", "Thinking …\n\nHm."))


def test_another_word_is_refused():
    ended = world().run(*M, "--think", "maybe", "why")
    assert ended.code == 2
    assert "on" in ended.err


def test_raw_text_has_no_reasoning():
    assert world().run("complete", "-m", __file__, "-q", "why").out == ANSWER + "\n"


def chat(*lines: str, answers: tuple[str, ...] = (ANSWER,)) -> World:
    return world(*answers, screen=True, stdin=None, lines=lines).run(*M)


def test_the_model_is_not_told_what_it_thought():
    ended = chat("why", "so", answers=(ANSWER, "Done."))
    assert [message.content for message in ended.pair.chats[-1]] == ["why", "Yes.\n\nIt is.", "so"]


def test_thoughts_can_be_read_again():
    assert "Hm. Yes!" in chat("why", "/think").transcript.rpartition("/think")[2]
    assert "Nothing was thought before the last answer." in chat("why", "/think", answers=("Yes.",)).transcript


def test_the_command_says_from_then_on_how_it_is():
    ended = chat("/think hide", "why", "/show")
    assert "Thought for # s, 19 tokens." in ended.transcript
    assert re.search(r"^think +hide$", ended.transcript, re.MULTILINE)
    assert chat("/think off").pair.config.thinks is False
    assert chat("/think off", "/think on").pair.config.thinks is True


def test_a_model_that_is_not_known_to_reason_is_named():
    ended = World(screen=True, stdin=None, lines=("/think on",)).run(*M)
    assert "Fake is not known to reason" in ended.transcript


def test_an_answer_goes_on_in_the_middle_of_its_reasoning():
    ended = world(screen=True, stdin=None, lines=("why", "/set n 100", "/continue")).run(*M, "-n", "12")
    shown = ended.transcript
    assert "Hm." in shown
    assert ended.code == 0


def test_a_stop_string_ends_the_answer_and_the_rest_goes_on():
    ended = chat("why", "/set stop nothing", "/continue", answers=("<think>a STOP b</think>One STOP two",))
    assert ended.code == 0


@pytest.mark.parametrize(
    "answer", ["\U0001f600 a STOP b", "<b>a STOP b", "<think>Hm</think>\u6f22 STOP b", "<think>Hm</think>a STOP b"]
)
def test_what_a_stop_string_cut_goes_on_with_the_same_text(answer: str):
    ended = chat("why", "/set stop nothing", "/continue", "so", answers=(answer, "Done.")).pair.chats[-1]
    uncut = chat("why", "so", answers=(answer, "Done.")).pair.chats[-1]
    assert ended == uncut
    ended = world(answer, "Done.", screen=True, stdin=None, lines=("why", "/set stop no", "/continue", "so"))
    assert ended.run(*M, "--stop", "STOP").pair.chats[-1] == uncut


@pytest.mark.parametrize(("limit", "shown"), [("9", "</think>"), ("14", "es!"), ("24", "Yes.\n\nIt is."), ("40", "")])
def test_an_answer_goes_on_where_it_ended_in_another_process(limit: str, shown: str, tmp_path: Path):
    kept = {"XDG_DATA_HOME": str(tmp_path)}
    answer = ANSWER.replace("<think>\n", "<think>\n" + "Hm. " * (limit == "9"))
    options = {"screen": True, "stdin": None, "variables": kept}
    world(answer, lines=("why",), **options).run(*M, "--session", "one", "-n", limit)
    resumed = world(answer, lines=("/continue",), **options).run(*M, "--session", "one").transcript
    assert ("The last:" in resumed) is (limit == "40")
    whole = json.loads(World(variables=kept).run("session", "export", "one", "--format", "json").out)["messages"][-1]
    assert (whole["content"], whole["reasoning"]) == ("Yes.\n\nIt is.", answer[8:].partition("\n</think>")[0])


@pytest.mark.parametrize("limit", range(1, 27))
def test_wherever_an_answer_was_cut_it_goes_on_as_one(limit: int):
    answer = "<think>\n</think>\U0001f600 Yes."
    lines = ("why", "/set n 100", "/continue", "so")
    ended = world(answer, "Done.", screen=True, stdin=None, lines=lines).run(*M, "-n", str(limit))
    assert ended.pair.chats[-1] == chat("why", "so", answers=(answer, "Done.")).pair.chats[-1]


def interrupted_at(passes: int):  # type: ignore[no-untyped-def]
    def on_pass(ended: World, count: int) -> None:
        if count == passes:
            ended.pair.session.interrupt.request()

    return on_pass


def test_reasoning_that_goes_on_is_kept_when_it_is_stopped():
    lines = ("why", "/set n 100", "/continue", "/think", "/continue", "so")
    options = {"screen": True, "stdin": None, "lines": lines, "on_pass": interrupted_at(15)}
    ended = world(ANSWER, "Done.", **options).run(*M, "-n", "12")
    assert re.search(r">>> /think\nHm\. Y[a-z!]*\n", ended.transcript)
    assert [message.reasoning for message in ended.pair.chats[-1]] == ["", "Hm. Yes!", ""]


def test_who_is_told_not_to_think_answers_when_the_answer_goes_on():
    skip = "<think>\n\n</think>\n\n"

    def load(pair):  # type: ignore[no-untyped-def]
        plain = pair.chat_tokens
        pair.chat_tokens = lambda messages: [*plain(messages), *(skip.encode() if pair.config.thinks is False else [])]

    lines = ("why", "/set n 100", "/think off", "/continue", "/think")
    ended = world(screen=True, stdin=None, lines=lines, on_load=load).run(*M, "-n", "12")
    read = ended.pair.session.decoder.target.cached  # type: ignore[attr-defined]
    assert bytes(token for token in read if token < 256).startswith(b"why" + skip.encode())
    assert ended.transcript.rstrip(" >\n").endswith("/think\nHm.")


def test_an_interrupted_answer_keeps_what_was_thought_before_it(tmp_path: Path):
    kept = {"XDG_DATA_HOME": str(tmp_path)}
    world(screen=True, stdin=None, lines=("why",), variables=kept).run(*M, "--session", "one")
    (tmp_path / "specchat" / "sessions" / "one.partial").write_text("Yes.\n\nIt is. It")
    whole = json.loads(World(variables=kept).run("session", "export", "one", "--format", "json").out)["messages"][-1]
    assert (whole["content"], whole["reasoning"]) == ("Yes.\n\nIt is. It", "Hm. Yes!")


def test_sessions_keep_reasoning(tmp_path: Path):
    kept = {"XDG_DATA_HOME": str(tmp_path)}
    world(screen=True, stdin=None, lines=("why",), variables=kept).run(*M, "--session", "one")
    exported = World(variables=kept).run("session", "export", "one", "--format", "json")
    answer = json.loads(exported.out)["messages"][-1]
    assert (answer["content"], answer["reasoning"]) == ("Yes.\n\nIt is.", "Hm. Yes!")
    markdown = World(variables=kept).run("session", "export", "one").out
    assert "### Reasoning\n\n```text\nHm. Yes!\n```\n\n### Answer\n\nYes.\n\nIt is.\n" in markdown
    again = world(screen=True, stdin=None, lines=("/think",), variables=kept).run(*M, "--session", "one")
    assert "Hm. Yes!" in again.transcript


def test_channels_are_shown_as_tags_are():
    answer = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes."
    assert World(answers=(answer,), reasoning=Harmony()).run(*M, "-q", "why").out == "Yes.\n"


def test_thoughts_in_the_midst_of_an_answer_are_counted_apart():
    again = "<|start|>assistant<|channel|>{}<|message|>{}<|end|>"
    answer = "".join(
        again.format(*part)
        for part in (("analysis", "Hm."), ("commentary", "I look."), ("analysis", "Ah."), ("final", "Yes."))
    ).removeprefix("<|start|>assistant")
    shown = World(answers=(answer,), reasoning=Harmony(), screen=True, stdin=None).run(*M, "--think", "hide", "why")
    assert re.findall(r"Thought for # s, (\d+) tokens\.", shown.transcript) == ["60", "55"]
    plain = World(answers=(answer,), reasoning=Harmony(), screen=True, stdin=None).run(*M, "-q", "why")
    assert plain.transcript == "Hm.\n\nI look.\n\nAh.\n\nYes.\n"
