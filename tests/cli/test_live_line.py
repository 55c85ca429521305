"""The line of figures below an answer: it is there, it is right, and the text is on the screen exactly once."""

import re
from dataclasses import replace
from itertools import pairwise

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.cli.answering.live_figures import LiveFigures
from specchat.cli.display.answer_writer import AnswerWriter
from specchat.cli.display.cursor import Cursor
from specchat.cli.display.live_line import LiveLine
from specchat.speculative.drafting import Draft, Guess
from specchat.speculative.rounds import Round
from specchat.speculative.verification import Verdict

from .fakes import World
from .terminal.emulator import Screen

FIGURES = ["38.1 tokens/s", "1.52 × plain", "context 1,203 of 8,192"]
LOREM = "The keeper climbs, and the lamp is lit; far out a ship turns away from the rocks. " * 40


class Terminal:
    """A screen with scrollback behind a live line, on which pieces of text are written."""

    def __init__(self, columns=80, rows=12, every=1):
        self.columns = columns
        self.screen = Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)
        self.world = World(screen=True)
        self.seconds = 0.0
        self.every = every
        self.env = replace(
            self.world.environment(), edits_lines=lambda: True, now=self._now, columns=lambda: self.columns
        )
        self.env.stderr = self.env.stdout
        self.written = 0
        self.seen = []

    def _now(self):
        self.seconds += 0.1 * self.every
        return self.seconds

    def show(self):
        """Let the terminal take what was written; the rows on it, scrollback first."""
        output = self.world.stdout.getvalue()
        self.stream.feed(output[self.written :].replace("\n", "\r\n"))
        self.written = len(output)
        return self.screen.rows

    def write(self, pieces, watch=lambda: None):
        writer = AnswerWriter(self.env, LiveLine(self.env, lambda: FIGURES))
        for piece in pieces:
            writer.write(piece)
            self.seen.append([line for line in self.show() if "tokens/s" in line])
            watch()
        writer.finish()
        return self.show()


def expected(text, columns, rows):
    """The same text on a terminal that shows nothing else."""
    screen = Screen(columns, rows)
    pyte.Stream(screen).feed(text.replace("\n", "\r\n"))
    return screen.rows


def pieces_of(text, size):
    return [text[place : place + size] for place in range(0, len(text), size)]


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_paragraph_longer_than_the_screen_is_there_once_with_the_line_below_it(columns, size):
    terminal = Terminal(columns)
    lines = terminal.write(pieces_of(LOREM, size))
    assert lines == expected(LOREM, columns, 12)
    assert any(terminal.seen)
    assert all(len(found) <= 1 for found in terminal.seen)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    st.lists(st.text(st.sampled_from("ab \n\t.xyz,é"), min_size=1, max_size=30), max_size=60),
    st.sampled_from([20, 31, 40, 80]),
    st.integers(4, 12),
    st.sampled_from([0, 1, 3]),
)
def test_any_text_is_there_once(pieces, columns, rows, every):
    terminal = Terminal(columns, rows, every)
    assert terminal.write(pieces) == expected("".join(pieces), columns, rows)


@pytest.mark.parametrize("ends", ["\n", "\tb\n"])
def test_a_line_that_ends_where_its_last_row_has_just_begun_leaves_nothing_of_the_figures(ends):
    terminal = Terminal(40, every=3)
    pieces = ["😀" + "a" * 20, "a" * 12, "a", "a", "a" * 6 + ends, "b"]  # nobody knows whether that is 42 columns
    assert terminal.write(pieces) == expected("".join(pieces), 40, 12)
    assert terminal.seen[1]


@settings(deadline=None, max_examples=200, derandomize=True)
@given(st.lists(st.text(st.sampled_from("a漢字 \n한글😀"), min_size=1, max_size=12), max_size=40))
def test_wide_characters_are_there_once(pieces):
    assert Terminal(40).write(pieces) == expected("".join(pieces), 40, 12)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    st.lists(st.text(st.sampled_from("ab \n.xyz,漢"), min_size=1, max_size=30), min_size=5, max_size=40),
    st.integers(0, 40),
    st.sampled_from([20, 31, 60]),
    st.sampled_from([20, 31, 60]),
    st.sampled_from([5, 12]),
)
def test_after_a_resize_the_text_is_as_if_there_had_been_no_line(pieces, place, before, after, rows):
    terminal, plain = Terminal(before), Screen(before, 12)

    def watch():
        if len(terminal.seen) == place:
            terminal.columns = after
            terminal.screen.resize(rows, after)

    lines = terminal.write(pieces, watch)
    pyte.Stream(plain).feed("".join(pieces[:place]).replace("\n", "\r\n"))
    if 0 < place <= len(pieces):
        plain.resize(rows, after)
    pyte.Stream(plain).feed("".join(pieces[place:]).replace("\n", "\r\n"))
    assert lines == plain.rows


def test_nothing_of_it_is_in_a_pipe_on_a_dumb_terminal_or_where_it_is_not_wanted():
    for settings_ in ({"stdout_is_terminal": False}, {"stderr_is_terminal": False}, {"edits_lines": lambda: False}):
        terminal = Terminal()
        terminal.env = replace(terminal.env, **settings_)
        terminal.write(["abc\n"] * 20)
        assert terminal.world.stdout.getvalue() == "abc\n" * 20
    terminal = Terminal()
    live = LiveLine(terminal.env, lambda: FIGURES, shown=False)
    live.around("abc", lambda text: None)
    assert terminal.world.stdout.getvalue() == ""


def test_figures_are_new_four_times_a_second_at_most():
    asked = []
    terminal = Terminal()
    live = LiveLine(terminal.env, lambda: asked.append(terminal.seconds) or FIGURES)
    for _ in range(100):
        live.around("a", lambda text: None)
    assert len(asked) == 33  # a tenth of a second for each piece, and never before a quarter has passed
    assert min(later - earlier for earlier, later in pairwise(asked)) >= 0.25
    rows = 1  # of a hundred letters: the line has to be drawn again where text takes its row
    assert terminal.world.stdout.getvalue().count("tokens/s") <= len(asked) + rows


def test_a_narrow_terminal_shows_less_of_it():
    terminal = Terminal(30)
    terminal.write(["abc "] * 20)
    shown = [re.sub(r"^ +", "", found[0]) for found in terminal.seen if found]
    assert set(shown) == {"38.1 tokens/s · 1.52 × plain"}


def round_of(tokens, *, guesses=0, accepted=0, seconds=0.1, plain=0.1):
    draft = Draft(tuple(Guess.certain(1) for _ in range(guesses)), "model")
    verdict = Verdict(tuple(range(tokens)), accepted, min(guesses, accepted + 1))
    return Round(draft, verdict, verdict.tokens, 0.0, seconds, (), plain)


def test_figures_are_those_of_the_rounds():
    times = iter([10.0, 10.4, 10.8, 11.2, 11.6, 12.0])
    figures = LiveFigures(lambda: next(times), n_ctx=1000)
    figures.reads(50)
    figures.add(round_of(1))
    for _ in range(4):
        figures.add(round_of(3, guesses=3, accepted=2, seconds=0.2))
    figures.add(round_of(1, seconds=0.1))
    assert figures.items() == ["6.5 tokens/s", "1.44 × plain", "8 of 12 guesses kept", "context 64 of 1,000"]


def test_without_plain_passes_nothing_is_compared():
    times = iter([10.0, 12.0])
    figures = LiveFigures(lambda: next(times), n_ctx=1000)
    figures.add(round_of(1))
    figures.add(round_of(2, plain=None))
    assert figures.items() == ["1.0 tokens/s", "context 3 of 1,000"]


def test_a_terminal_that_got_narrower_unnoticed_gets_no_second_row_of_figures():
    terminal = Terminal(80, rows=6)
    terminal.screen.resize(columns=30)
    lines = terminal.write(pieces_of("word " * 5 + "\n", 1) + pieces_of("word\n" * 20, 1))
    assert lines == ["word " * 4 + "word", *["word"] * 20]
    assert any(terminal.seen)


@pytest.mark.parametrize("newline", ["\r\n", "\r\n\r\n"])
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_line_break_of_two_characters_is_one_in_whatever_pieces_it_comes(size, newline):
    terminal = Terminal(20)
    text = f"a line{newline}" * 12 + "the end\r"
    lines = terminal.write(pieces_of(text, size))
    assert lines == expected(text.removesuffix("\r").replace("\r\n", "\n") + "␍", 20, 12)
    assert any(terminal.seen)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    st.text(st.sampled_from("ab漢,"), min_size=10, max_size=90),
    st.text(st.sampled_from("ab漢,"), min_size=30, max_size=60),
    st.sampled_from([20, 24, 30, 40]),
    st.sampled_from([20, 24, 30, 40]),
    st.booleans(),
)
def test_after_a_resize_a_cursor_is_clear_only_where_it_is_on_terminals_of_both_kinds(text, more, before, after, anew):
    """On those that break lines anew, and on those that cut them off."""
    cursor, screen = Cursor(before), Screen(before, 12)
    cursor.advance(text)
    pyte.Stream(screen).feed(text)
    cursor.resize(after)
    screen.resize(columns=after)
    if anew and after != before:
        screen = Screen(after, 12)
        pyte.Stream(screen).feed(text)
    stream = pyte.Stream(screen)
    for character in ["", *more]:
        cursor.advance(character)
        stream.feed(character)
        row, place = screen.buffer[screen.cursor.y], screen.cursor.x
        assert not cursor.is_clear or (place < after and all(row[x].data == " " for x in range(place, after)))


def test_where_a_tab_was_nobody_knows_after_a_resize_until_the_line_ends():
    cursor = Cursor(40)
    cursor.advance("\t" * 9 + "a")
    cursor.resize(60)
    for _ in range(100):
        assert not cursor.is_clear
        cursor.advance("a")
    cursor.advance("\nabc")
    assert cursor.is_clear


def test_behind_a_full_row_a_resize_puts_the_cursor_on_the_last_character_until_there_is_another():
    cursor = Cursor(40)
    cursor.advance("a" * 40)
    cursor.resize(60)
    assert not cursor.is_clear
    assert not cursor.is_in_next_row
    cursor.advance("a")
    assert cursor.is_clear


def test_where_a_line_was_that_a_resize_met_is_forgotten_with_its_end():
    cursor = Cursor(80)
    cursor.advance("a" * 70)
    cursor.resize(40)
    assert not cursor.is_clear
    cursor.advance("a" * 40)
    assert not cursor.is_clear
    cursor.advance("\nabc")
    assert cursor.is_clear


def test_a_resize_there_and_back_is_one_in_which_the_last_character_may_be_erased():
    cursor = Cursor(10)
    cursor.advance("abcde")
    assert cursor.is_clear
    cursor.doubt()
    assert not cursor.is_clear
    assert cursor.reaches_next_row("f")
    cursor.advance("f")
    assert cursor.is_clear


def test_the_figures_wait_for_a_character_behind_a_resize_that_came_to_nothing():
    terminal, plain = Terminal(40, every=3), Screen(40, 12)
    resizes = 0
    terminal.env.count_resizes = lambda: lambda: resizes

    def resize():
        nonlocal resizes
        resizes += 1
        for screen in (terminal.screen, plain):
            screen.resize(columns=10)
            screen.resize(columns=40)

    pieces = [f"{number} keepers climb, " for number in range(12)]
    stream = pyte.Stream(plain)

    def watch():
        stream.feed(pieces[len(terminal.seen) - 1])
        resize()

    assert terminal.write(pieces, watch) == plain.rows
    assert any(terminal.seen)


@pytest.mark.parametrize("pieces", [["a" * 10], ["a" * 5, "a" * 5]], ids=["no figures yet", "figures"])
@pytest.mark.parametrize("columns", [30, 12])
def test_a_resize_that_comes_while_text_is_written_costs_no_character(pieces, columns):
    """From then on the cursor is behind a full row, or was put on its last character: nothing may be erased there."""
    terminal = Terminal(80, every=3)
    live = LiveLine(terminal.env, lambda: FIGURES)

    def write(text):
        terminal.env.stdout.write(text)
        terminal.show()

    def write_and_resize(text):
        write(text)
        terminal.screen.resize(columns=columns)
        terminal.columns = columns

    for piece in pieces:
        live.around(piece, write)
    live.around("a" * (columns - 10), write_and_resize)
    assert next(row for row in terminal.show() if "a" * 9 in row)[:columns] == "a" * columns
