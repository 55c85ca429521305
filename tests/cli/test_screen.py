"""Text for a terminal."""

from hypothesis import given
from hypothesis import strategies as st

from specchat.cli.display.screen import beginning, joined, one_line, visible, whole

REORDERING = "".join(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))
"""Embeddings, overrides and isolates of the reading direction."""


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left(text):
    shown = visible(text)
    assert all(character in "\t\n" or not (ord(character) < 32 or 127 <= ord(character) < 160) for character in shown)


@given(st.text(st.characters(exclude_categories=["Cc"], exclude_characters=REORDERING)))
def test_all_other_text_is_left_alone(text):
    assert visible(text) == text


def test_control_characters_become_pictures():
    assert visible("\x1b[2J\x07\x7f\x9b\r\n\tx") == "␛[2J␇␡<9B>\n\tx"


def test_nothing_turns_the_reading_direction_around_and_letters_of_both_directions_stay():
    assert visible("rm \u202efdp.exe") == "rm <U+202E>fdp.exe"
    assert not set(REORDERING) & set(visible(REORDERING))
    assert visible("שלום\u200f, \u061cسلام") == "שלום\u200f, \u061cسلام"


@given(st.lists(st.text(st.sampled_from("\r\nab"))))
def test_a_text_looks_the_same_in_whatever_pieces_it_comes(pieces):
    shown, held = "", ""
    for piece in pieces:
        piece, held = whole(held + piece)
        shown += visible(piece)
    assert shown + visible(held) == visible("".join(pieces))


def test_a_name_stays_on_one_line():
    assert one_line("a\nb\tc\x1b") == "a␊b␉c␛"


def test_a_text_is_told_by_its_first_line_and_an_ellipsis_for_the_rest():
    assert beginning("\n\nTwo colours:\r\n\n- red\n") == "Two colours:…"
    assert beginning("One.\n") == "One."
    assert beginning("x" * 60) == "x" * 60
    assert beginning("x" * 61) == beginning("x" * 60 + "\n.") == "x" * 59 + "…"


def test_items_are_broken_between_them():
    assert joined(["one", "two", "three"], 9) == "one · two\nthree"
    assert joined(["longer than that", "two"], 9) == "longer than that\ntwo"
