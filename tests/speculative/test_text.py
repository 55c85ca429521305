import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.reasoning.stream import AnswerStream


def stream(pieces: list[bytes], stop: list[str]) -> tuple[list[str], str, bool]:
    reader = AnswerStream(stop=stop)
    shown = []
    for piece in pieces:
        shown.append("".join(span.text for span in reader.push(piece)))
        if reader.stopped:
            break
    shown.append("".join(span.text for span in reader.finish()))
    return shown, reader.text, reader.stopped


@given(st.text(), st.data())
def test_text_cut_anywhere_arrives_whole_and_never_torn(text: str, data: st.DataObject):
    raw = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)))))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    shown, whole, _ = stream(pieces, [])
    assert "".join(shown) == whole == text


@pytest.mark.parametrize("length", range(1, 30))
def test_an_unfinished_character_at_the_end_is_dropped(length: int):
    text = "aé漢👩‍🚀e\u0301"
    _, whole, _ = stream([text.encode()[:length]], [])
    assert text.startswith(whole)


def test_bytes_that_are_no_text_are_marked():
    assert stream([b"a\xff", b"b"], [])[1] == "a\ufffdb"


def test_a_stop_string_over_several_tokens_ends_the_text_before_it():
    shown, text, stopped = stream([b"one E", b"N", b"D two"], ["END"])
    assert stopped
    assert text == "one "
    assert shown == ["one ", "", "", ""]


def test_what_only_looked_like_a_stop_string_is_shown_later():
    shown, text, stopped = stream([b"EN", b"EN", b"D"], ["ENDE"])
    assert not stopped
    assert text == "ENEND"
    assert shown == ["", "EN", "", "END"]


def test_the_earliest_of_several_stop_strings_counts():
    assert stream([b"a b c"], ["c", "b"])[1] == "a "


@given(st.lists(st.text("ab", min_size=1, max_size=4)), st.lists(st.text("ab", min_size=1, max_size=4), min_size=1))
def test_the_text_never_holds_a_stop_string_and_misses_nothing_before_it(pieces: list[str], stop: list[str]):
    whole = "".join(pieces)
    _, text, stopped = stream([piece.encode() for piece in pieces], stop)
    assert not any(end in text for end in stop)
    assert whole.startswith(text)
    assert stopped == any(end in whole for end in stop)
    if not stopped:
        assert text == whole
