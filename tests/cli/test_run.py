"""`specchat run` and `specchat complete`: whole outputs, with a scripted model."""

import io
import json
import re
import signal

import pytest

from specchat.speculative.errors import (
    ChatTemplateError,
    DecodeError,
    ModelLoadError,
    PromptTooLongError,
    VocabularyMismatchError,
)

from .fakes import World

MODEL = ("run", "-m", "big.gguf")


def test_a_pipe_gets_the_answer_and_nothing_else():
    world = World(answers=["Hello."]).run(*MODEL, "Hi", "there")
    assert (world.code, world.out, world.err) == (0, "Hello.\n", "")
    assert [(message.role, message.content) for message in world.pair.chats[0]] == [("user", "Hi there")]
    assert world.pair.closed


def test_the_last_line_is_ended_once():
    assert World(answers=["a\n"]).run(*MODEL, "Hi").out == "a\n"
    assert World(answers=[""]).run(*MODEL, "Hi").out == ""


def test_a_terminal_gets_the_statistics_below_the_answer():
    world = World(answers=["Hello."], screen=True, stdin=None, columns=200).run(*MODEL, "Hi", "-s", "7")
    assert world.transcript == (
        "Hello.\n7 tokens in # s · # tokens/s · first token after # s · context 10 of 1,000 · seed 7\n"
    )


def test_a_single_token_has_no_speed():
    assert "tokens/s" not in World().run(*MODEL, "--stats", "-n", "1", "Hi").err


def test_statistics_fit_a_narrow_terminal():
    world = World(answers=["Hello."], screen=True, stdin=None, columns=40).run(*MODEL, "Hi", "--draft", "ngram")
    assert max(map(len, world.transcript.splitlines())) <= 40


def test_quiet_leaves_the_statistics_out_and_stats_puts_them_into_a_pipe_as_one_line():
    assert World(screen=True, stdin=None).run(*MODEL, "-q", "Hi").transcript == "Hello.\n"
    world = World().run(*MODEL, "--stats", "Hi")
    assert world.out == "Hello.\n"
    assert world.err.startswith("7 tokens in ")
    assert world.err.count("\n") == 1


def test_statistics_tell_how_much_of_the_drafts_was_right():
    world = World(answers=["abcabcabcabc"]).run(*MODEL, "--stats", "--draft", "ngram", "Hi")
    assert re.search(r"\d+% of \d+ guesses by n-grams accepted", world.err)


def test_json_is_one_object_with_everything():
    world = World(answers=["abcabcabcabc"]).run(*MODEL, "--json", "--draft", "ngram", "-s", "5", "-n", "9", "Hi")
    answer = json.loads(world.out)
    assert world.out.count("\n") == 1
    assert answer["text"] == "abcabcabc"
    assert (answer["finish_reason"], answer["model"], answer["draft"], answer["seed"]) == (
        "length",
        "big.gguf",
        "ngram",
        5,
    )
    assert answer["usage"] == {"prompt_tokens": 3, "cached_tokens": 0, "completion_tokens": 9}
    assert set(answer["timings"]) == {
        "prompt_n",
        "prompt_ms",
        "prompt_per_second",
        "predicted_n",
        "predicted_ms",
        "predicted_per_second",
        "draft_n",
        "draft_n_accepted",
    }
    assert set(answer["speculation"]) == {
        "rounds",
        "drafted",
        "tested",
        "accepted",
        "acceptance_rate",
        "draft_yield",
        "tokens_per_round",
        "accepted_per_position",
        "drafted_by",
        "pauses",
        "speedup",
    }
    assert answer["speculation"]["accepted"] == answer["timings"]["draft_n_accepted"] > 0


def test_json_cannot_smuggle_control_characters_onto_a_terminal():
    world = World(answers=["\x1b[31m\x9b31m\x7f"]).run(*MODEL, "--json", "Hi")
    assert all(character == "\n" or character.isprintable() for character in world.out)
    assert json.loads(world.out)["text"] == "\x1b[31m\x9b31m\x7f"


def test_control_characters_reach_a_file_and_never_a_terminal():
    answer = "a\x1b]0;title\x07\x9b2J\tb\r\nc"
    assert World(answers=[answer]).run(*MODEL, "Hi").out == answer + "\n"
    shown = World(answers=[answer], screen=True, stdin=None).run(*MODEL, "-q", "Hi").out
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert "␛]0;title␇" in shown
    assert "\tb" in shown


def test_markup_in_the_text_is_text():
    answer = "[/INST] [bold]not bold[/bold] :smile: https://example.org"
    assert World(answers=[answer], screen=True, stdin=None).run(*MODEL, "-q", "Hi").out == answer + "\n"


def test_tint_colours_accepted_drafts_on_a_terminal_only():
    arguments = (*MODEL, "-q", "--tint", "--draft", "ngram", "Hi")
    answer = "abcabcabcabc"
    shown = World(answers=[answer], screen=True, stdin=None).run(*arguments).out
    assert "\x1b[36ma" in shown
    assert shown.startswith("abcab")
    assert World(answers=[answer]).run(*arguments).out == answer + "\n"
    plain = World(answers=[answer], screen=True, stdin=None, variables={"NO_COLOR": "1"}).run(*arguments)
    assert plain.out == answer + "\n"


def test_stop_texts_end_the_answer_before_them():
    assert World(answers=["one two three"]).run(*MODEL, "--stop", "two", "-r", "x", "Hi").out == "one \n"


def test_a_full_context_is_told():
    world = World(answers=["abcdefghijklmnop"], n_ctx=10).run(*MODEL, "Hi")
    assert world.out == "abcdefg\n"
    assert "context of 10 tokens is full" in world.err


def test_notices_about_the_pair_are_warnings():
    assert World(notices=("Odd.",)).run(*MODEL, "Hi").err == "warning: Odd.\n"
    assert World(notices=("Odd.",)).run(*MODEL, "-q", "Hi").err == ""


def test_progress_through_a_long_prompt_is_gone_before_the_first_token():
    world = World(screen=True, stdin=None).run(*MODEL, "-q", "x" * 400)
    assert world.out == "Hello.\n"
    world = World(screen=True, stdin=None).run(*MODEL, "x" * 400)
    before, _, after = world.out.partition("Hello.")
    assert "reading 64/401 tokens" in before
    assert " s left" in before
    assert before.endswith("\r\x1b[K")
    assert "reading" not in after
    assert World().run(*MODEL, "x" * 400).err == ""


def interrupt_at(count: int):
    def on_pass(world: World, passes: int) -> None:
        if passes == count:
            signal.raise_signal(signal.SIGINT)

    return on_pass


def test_ctrl_c_keeps_what_was_said_and_dies_of_the_signal():
    world = World(answers=["abcdefgh"], on_pass=interrupt_at(3)).run(*MODEL, "Hi")
    assert (world.code, world.out, world.err) == (-signal.SIGINT, "abcd\n", "")


def test_ctrl_c_in_a_long_prompt_says_nothing():
    world = World(on_pass=interrupt_at(1)).run(*MODEL, "x" * 400)
    assert (world.code, world.out, world.err) == (-signal.SIGINT, "", "")


def test_ctrl_c_in_a_long_prompt_leaves_no_progress_on_the_screen():
    world = World(screen=True, stdin=None, on_pass=interrupt_at(1)).run(*MODEL, "x" * 400)
    assert "reading" in world.out
    assert (world.code, world.transcript) == (-signal.SIGINT, "")


def test_json_tells_of_ctrl_c():
    world = World(answers=["abcdefgh"], on_pass=interrupt_at(3)).run(*MODEL, "--json", "Hi")
    assert world.code == -signal.SIGINT
    answer = json.loads(world.out)
    assert (answer["text"], answer["finish_reason"]) == ("abcd", "cancelled")


class ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


def test_a_closed_pipe_is_died_of_quietly():
    world = World(stdout=ClosedPipe()).run(*MODEL, "Hi")
    assert (world.code, world.err) == (-13, "")


class FullDisk(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_a_full_disk_is_an_error():
    world = World(stdout=FullDisk()).run(*MODEL, "Hi")
    assert (world.code, world.err) == (1, "error: No space left on device.\nhint: --debug shows where.\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModelLoadError, 3),
        (VocabularyMismatchError, 6),
        (PromptTooLongError, 7),
        (ChatTemplateError, 1),
        (DecodeError, 1),
    ],
)
def test_an_error_is_a_sentence_a_hint_and_a_code(error, code):
    world = World(load_error=error("It is so.", "Do this.")).run(*MODEL, "Hi")
    assert (world.code, world.out, world.err) == (code, "", "error: It is so.\nhint: Do this.\n")


def test_a_prompt_that_does_not_fit_names_the_context_that_would():
    world = World(n_ctx=50).run(*MODEL, "x" * 100)
    assert world.code == 7
    assert world.err == (
        "error: The prompt has 101 tokens, but the context holds 50.\n"
        "hint: A context of 613 leaves room for an answer: -c 613\n"
    )


def test_a_prompt_that_fits_no_context_of_the_model_says_so():
    for length in (300, 190):  # longer than it, and shorter with no room for an answer
        hint = World(n_ctx=50, n_ctx_train=200).run(*MODEL, "x" * length).err.splitlines()[1]
        assert hint == "hint: Send less: this model was trained on 200 tokens."


def test_only_debug_shows_a_traceback():
    assert "Traceback" not in World(load_error=ValueError("odd")).run(*MODEL, "Hi").err
    world = World(load_error=ValueError("odd")).run(*MODEL, "--debug", "Hi")
    assert world.err.startswith("Traceback")
    assert "error: specchat made a mistake: ValueError('odd').\n" in world.err
    assert world.code == 1
    for prompt in (("--", "--debug"), ("-p", "--debug")):
        assert "Traceback" not in World(load_error=ValueError("odd")).run(*MODEL, *prompt).err


def test_control_characters_in_errors_are_shown():
    world = World(load_error=ModelLoadError("no \x1b[2J")).run(*MODEL, "Hi")
    assert world.err == "error: no ␛[2J\n"


def test_complete_goes_on_with_the_text_as_it_is():
    world = World(answers=[" upon a time"]).run("complete", "-m", "big.gguf", "Once")
    assert (world.out, world.pair.texts, world.pair.chats) == (" upon a time\n", [("Once",)], [])


def test_complete_reads_control_tokens_on_request_only():
    assert World().run("complete", "-m", "big.gguf", "--special", "a").pair.texts == [("a", "special")]


def test_complete_fills_in_the_middle():
    assert World().run("complete", "-m", "big.gguf", "a", "--suffix", "b").pair.texts == [("a", "b")]


def test_complete_needs_a_text():
    world = World(stdin=None, screen=True).run("complete", "-m", "big.gguf")
    assert (world.code, "no text to go on with" in world.transcript) == (2, True)
