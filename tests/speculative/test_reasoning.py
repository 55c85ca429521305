import pytest
from hypothesis import given
from hypothesis import strategies as st

from specchat.speculative.reasoning.formats import FORMATS, ReasoningFormat
from specchat.speculative.reasoning.harmony import Harmony
from specchat.speculative.reasoning.resumed import Resumed
from specchat.speculative.reasoning.stream import AnswerStream
from specchat.speculative.reasoning.tags import Tags

THINK = Tags("<think>", "</think>")
CHANNELS = Harmony()
LOOK = "<|start|>assistant<|channel|>commentary<|message|>I look.<|end|>"
AGAIN = "<|start|>assistant<|channel|>analysis<|message|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>"


def split(form: ReasoningFormat, text: str, before: str = "", stop: tuple[str, ...] = ()) -> tuple[str, str]:
    """The reasoning and the answer of a text that comes at once."""
    return split_pieces(form, [text.encode()], before, stop)


def split_pieces(
    form: ReasoningFormat, pieces: list[bytes], before: str = "", stop: tuple[str, ...] = ()
) -> tuple[str, str]:
    stream = AnswerStream(form.splitter(before), stop)
    told = []
    for piece in pieces:
        told += stream.push(piece)
        if stream.stopped:
            break
    told += stream.finish()
    reasoning = "".join(span.text for span in told if span.is_reasoning)
    answer = "".join(span.text for span in told if not span.is_reasoning)
    assert (reasoning, answer) == (stream.reasoning, stream.text)
    return reasoning, answer


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("<think>\nHm. Yes.\n</think>\n\nYes.", "", ("Hm. Yes.", "Yes.")),
        ("Hm.\n</think>\n\nYes.", "<|im_start|>assistant\n<think>\n", ("Hm.", "Yes.")),
        ("<think>\nHm.\n</think>\n\nYes.", "<think>\n", ("Hm.", "Yes.")),
        ("Yes.", "<think>\n\n</think>\n\n", ("", "Yes.")),
        ("  Yes.\n", "", ("", "  Yes.\n")),
        ("Write <think>x</think> for that.", "", ("", "Write <think>x</think> for that.")),
        ("<think>a</think>b<think>c</think>d", "", ("a", "b<think>c</think>d")),
        ("<think>It is cut", "", ("It is cut", "")),
        ("<think>It is cut </thi", "", ("It is cut </thi", "")),
        ("<think>a  \n\n b</think> c", "", ("a  \n\n b", "c")),
        ("<think></think>", "", ("", "")),
        ("<thi", "", ("", "<thi")),
        ("", "<think>", ("", "")),
    ],
)
def test_what_stands_between_the_tags_is_reasoning(text: str, before: str, expected: tuple[str, str]):
    assert split(THINK, text, before) == expected


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        (f"<|channel|>analysis<|message|>Hm.<|end|>{FINAL}Yes.", "<|start|>assistant", ("Hm.", "Yes.")),
        ("<|channel|>final<|message|>Yes.", "<|start|>assistant", ("", "Yes.")),
        ("Yes.", "<|start|>assistant", ("", "Yes.")),
        ("Yes.", "<|start|>assistant<|channel|>final<|message|>", ("", "Yes.")),
        (f"Hm.<|end|>{FINAL}Yes.", "<|start|>assistant<|channel|>analysis<|message|>", ("Hm.", "Yes.")),
        (
            f"<|channel|>analysis<|message|>A.<|end|>{LOOK}{AGAIN}B.<|end|>{FINAL}Yes.",
            "<|start|>assistant",
            ("A.\n\nB.", "I look.\n\nYes."),
        ),
        ("<|channel|>analysis<|message|>It is cut", "", ("It is cut", "")),
        ("<|channel|>analysis<|message|>Hm.<|end|><|start|>assi", "", ("Hm.", "")),
        ("<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Yes.", "", ("Hm.", "Yes.")),
        ("<|channel|>" + "a" * 300, "", ("", "a" * 300)),
        ("a < b and <|b|>", "", ("", "a < b and <|b|>")),
    ],
)
def test_the_channels_of_harmony_are_told_apart(text: str, before: str, expected: tuple[str, str]):
    assert split(CHANNELS, text, before) == expected


SPACE = st.text(alphabet=" \n", max_size=3)
PARTS = st.lists(st.sampled_from(["a", "é漢", " ", "\n", "<", "</", "<|", "STOP"])).map("".join)


@given(st.sampled_from([form for form in FORMATS if isinstance(form, Tags)]), SPACE, PARTS, SPACE, PARTS, st.data())
def test_space_around_tags_is_nobodys_however_it_is_cut(
    form: Tags, space: str, reasoning: str, more: str, answer: str, data: st.DataObject
):
    raw = f"{space}{form.opening}{space}{reasoning}{more}{form.closing}{more}{answer}".encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)))))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert split_pieces(form, pieces) == (reasoning.strip(), answer.lstrip())


WORDS = st.sampled_from(
    ["a", " ", "\n", "é漢", "<", "<think>", "</think>", "</", "analysis", "final", *CHANNELS.marks, "assistant", "STOP"]
)


@given(st.sampled_from(FORMATS), st.lists(WORDS | st.sampled_from([m for f in FORMATS for m in f.marks])), st.data())
def test_however_a_text_is_cut_it_is_told_apart_alike(form: ReasoningFormat, words: list[str], data: st.DataObject):
    before = data.draw(st.sampled_from(["", *form.marks]))
    raw = "".join(words).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)))))
    pieces = [raw[start:end] for start, end in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    assert split_pieces(form, pieces, before, ("STOP",)) == split(form, raw.decode(), before, ("STOP",))


@given(st.sampled_from(FORMATS), st.text(alphabet="ab<>|/\n "))
def test_a_text_without_marks_is_an_answer_as_it_is(form: ReasoningFormat, text: str):
    assert split(form, text) == ("", text)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("skipped", [True, False])
def test_an_answer_follows_at_once_what_leads_to_it(form: ReasoningFormat, skipped: bool):
    opened = split_opening(form)
    for before in ("assistant\n", f"assistant\n{opened}", f"assistant\n{form.skip('assistant')}"):
        lead = form.skip(before) if skipped else form.lead(before)
        assert split(form, "Yes.", before + lead) == ("", "Yes.")


@pytest.mark.parametrize("form", FORMATS)
def test_reasoning_that_was_written_down_is_read_as_such_and_goes_on(form: ReasoningFormat):
    for before in ("assistant\n", f"assistant\n{split_opening(form)}"):
        around = form.around(before)
        assert around is not None
        opening, closing = around
        assert split(form, f"{opening}Hm.{closing}Yes.", before) == ("Hm.", "Yes.")
        assert split(form, f"{opening}Hm. Yes?{closing}", before) == ("Hm. Yes?", "")
    assert form.around(f"assistant\n{form.skip('assistant')}") is None


def split_opening(form: ReasoningFormat) -> str:
    return form.opening if isinstance(form, Tags) else "<|channel|>analysis<|message|>"


def test_a_stop_string_ends_the_answer_and_no_reasoning():
    assert split(THINK, "<think>One END two</think>three END four", stop=("END",)) == ("One END two", "three ")


def test_half_a_character_at_the_end_is_dropped():
    assert split_pieces(THINK, [b"<think>a\xc3"]) == ("a", "")
    assert split_pieces(THINK, [b"<think>a</think>b\xc3"]) == ("a", "b")


def resumed(form: ReasoningFormat, first: str, rest: str, before: str = "") -> tuple[tuple[str, str], tuple[str, str]]:
    """What is told of an answer in two parts."""
    stream = AnswerStream(Resumed.behind(form.splitter(before), first))
    stream.push(rest.encode())
    stream.finish()
    return split(form, first, before), (stream.reasoning, stream.text)


@pytest.mark.parametrize(
    ("form", "before", "first", "rest", "expected"),
    [
        (THINK, "", " \n", "Yes.", (("", " \n"), ("", "Yes."))),
        (THINK, "", "<th", "ree>", (("", "<th"), ("", "ree>"))),
        (THINK, "", "<th", "", (("", "<th"), ("", ""))),
        (THINK, "", "<th", "ink>Hm", (("", "<th"), ("Hm", ""))),
        (THINK, "<think>", "Hm </th", "at>", (("Hm </th", ""), ("at>", ""))),
        (THINK, "<think>", "Hm ", "yes", (("Hm", ""), (" yes", ""))),
        (THINK, "<think>", "Hm</th", "ink>Yes", (("Hm</th", ""), ("", "Yes"))),
        (CHANNELS, "", "a <|en", "b", (("", "a <|en"), ("", "b"))),
        (CHANNELS, "", "a", "b", (("", "a"), ("", "b"))),
    ],
)
def test_an_answer_that_goes_on_repeats_nothing(
    form: ReasoningFormat, before: str, first: str, rest: str, expected: tuple[tuple[str, str], tuple[str, str]]
):
    assert resumed(form, first, rest, before) == expected


@given(st.lists(st.sampled_from(("<think>", "</think>", "<", "</", "th", " ", "\n", "a", ">")), max_size=12), st.data())
def test_what_goes_on_is_what_is_left_unless_a_tag_was_cut(pieces: list[str], data: st.DataObject):
    cut = data.draw(st.integers(0, len(pieces)))
    first, rest = "".join(pieces[:cut]), "".join(pieces[cut:])
    (thought, said), (more_thought, more_said) = resumed(THINK, first, rest)
    whole = split(THINK, first + rest)
    if said and (first + rest).lstrip().startswith("<think>"):  # what looked like an answer was before a tag, or in it
        return
    assert said + more_said == whole[1]
    assert (thought + more_thought).startswith(whole[0])
