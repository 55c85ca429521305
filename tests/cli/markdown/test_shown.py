"""Styled answers on a terminal: `--markdown` and `/markdown`, the figures below, the tint, and where there is none."""

import re

import pyte
import pytest

from specchat.cli.display.answer_writer import AnswerWriter
from specchat.cli.display.live_line import LiveLine
from specchat.cli.markdown.pieces import Pieces

from ..fakes import World
from ..test_live_line import FIGURES, Terminal, expected

MODEL = ("run", "-m", "big.gguf", "--draft", "none", "-q")
ANSWER = "# Title\n\nA **strong** word, `code`.\n\n```python\ndef f():\n    return 1\n```\n"


def shown(*more, answer=ANSWER, screen=True, variables=None):
    stdin = None if screen else b""
    return World(answers=[answer], screen=screen, stdin=stdin, variables=variables or {}).run(*MODEL, *more, "Hi").out


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def joined(text):
    """The same with what is styled alike in one piece."""
    return re.sub(r"(\x1b\[[0-9;]+m)([^\x1b]*)((?:\x1b\[0m\1[^\x1b]*)+)", lambda m: m[1] + m[2] + plain(m[3]), text)


def test_the_text_is_what_the_model_wrote_with_marks_and_all():
    out = shown("--markdown")
    assert plain(out) == ANSWER
    assert "\x1b[1m# Title\x1b[0m\n\nA \x1b[1m**strong**\x1b[0m word" in joined(out)
    assert "\x1b[35mdef\x1b[0m" in out
    assert "\x1b" not in shown()


@pytest.mark.parametrize(
    ("screen", "variables"),
    [(False, {}), (True, {"NO_COLOR": "1"}), (True, {"TERM": "dumb"}), (False, {"TERM": "dumb"})],
)
def test_nothing_is_styled_where_there_are_no_colours(screen, variables):
    assert shown("--markdown", screen=screen, variables=variables) == ANSWER


def test_what_is_kept_back_at_the_end_is_shown_too():
    for answer in ("a **b", "a `", "```", "```py\nx", "a *", "-", "https:", "a \\"):
        assert plain(shown("--markdown", answer=answer)) == answer + "\n"


def test_an_answer_that_is_stopped_keeps_what_was_kept_back():
    out = World(answers=["one **two"], n_ctx=9, screen=True, stdin=None).run(*MODEL, "--markdown", "Hi").out
    assert plain(out) == "one **\n"


def test_control_characters_are_pictures_in_any_style():
    out = shown("--markdown", answer="**a\x1b]0;t\x07**\n`b\x9b2J`\n```js\n'\x1b[31m'\n```\n")
    assert plain(out) == "**a␛]0;t␇**\n`b<9B>2J`\n```js\n'␛[31m'\n```\n"


def test_only_styles_that_any_background_shows_are_used_and_each_is_closed():
    answer = (
        ANSWER
        + "> *a* [b](c)\n\n- ***x***\n"
        + "".join(
            f"~~~{name}\n{code}\n~~~\n"
            for name, code in (
                ("python", "class A: x = 'a' # c\n@b"),
                ("diff", "-a\n+b\n@@ 1 @@"),
                ("c", "#if 1\nint x = 'a';"),
            )
        )
    )
    out = shown("--markdown", "--tint", answer=answer)
    parts = re.findall(r"\x1b\[([0-9;]*)m([^\x1b]*)", out)
    assert [codes for codes, _ in parts[1::2]] == ["0"] * (len(parts) // 2)
    used = {code for codes, _ in parts[::2] for code in codes.split(";")}
    assert used <= {"1", "2", "3", "4", "31", "32", "33", "34", "35", "36"}


def test_with_both_guesses_that_were_right_are_underlined():
    arguments = ("run", "-m", "big.gguf", "--draft", "ngram", "-q", "--tint", "--markdown", "Hi")
    out = World(answers=["**abcabcabcabcabcabc** `abcabcabc`"], screen=True, stdin=None).run(*arguments).out
    assert plain(out) == "**abcabcabcabcabcabc** `abcabcabc`\n"
    assert "\x1b[1;4mc" in out
    assert "\x1b[36m" not in out  # the colour of the tint alone
    assert joined(out).startswith("\x1b[1m**abc")


def test_it_is_switched_in_a_chat():
    lines = ["Hi", "/markdown", "Hi", "/markdown", "Hi"]
    world = World(lines=lines, answers=["**a**"] * 3, screen=True, stdin=None, columns=200).run(*MODEL[:-1])
    assert joined(world.out).count("\x1b[1m**a**\x1b[0m\n") == 1
    assert world.out.count("**a**\n") == 2
    assert plain(world.out).index("Markdown is shown in colours.") < plain(world.out).index("Markdown is shown plain.")


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_with_figures_below_it_the_text_is_there_once_and_in_its_styles(columns, size):
    text = "A **strong and long** text with `code in it`, *again and again*. " * 12 + "\n\n" + ANSWER
    terminal = Terminal(columns)
    writer = AnswerWriter(terminal.env, LiveLine(terminal.env, lambda: FIGURES))
    pieces = Pieces(terminal.env, wanted=True)
    for place in range(0, len(text), size):
        _write(writer, pieces.push(text[place : place + size], False))
        terminal.show()
    _write(writer, pieces.finish())
    writer.finish()
    assert terminal.show() == expected(text, columns, 12)
    cells = [cell for row in range(12) for cell in _cells(terminal.screen, row)]
    assert {cell.data for cell in cells if cell.fg == "magenta"} >= set("def")
    assert {cell.data for cell in cells if cell.bold} >= set("Title")
    assert not any(cell.bg != "default" or cell.reverse for cell in cells)


def _cells(screen: pyte.Screen, row):
    return [screen.buffer[row][column] for column in range(screen.columns)]


def _write(writer, pieces):
    for piece in pieces:
        writer.write(*piece)


def test_without_it_an_answer_passes_as_it_comes():
    env = World(screen=True).environment()
    assert list(Pieces(env, wanted=False).push("**a", True)) == [("**a", True, None)]
    assert list(Pieces(env, wanted=False).finish()) == []
