"""Markdown in pieces: the text stays, the cuts do not matter, and marks are what CommonMark takes them for."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specchat.cli.markdown.emphasis import Emphasis
from specchat.cli.markdown.highlighter import Highlighter
from specchat.cli.markdown.limits import MOST_HELD, MOST_OPEN

from .looks import look, styled

PARTS = st.sampled_from(
    [
        *"*_`#->~|=[](){}<>\\\"'\n\n \t.:1ax/é字\r\x00",
        *(
            "**",
            "```",
            "~~~",
            "```python\n",
            "    ",
            "- ",
            "1. ",
            "> ",
            "\n\n",
            "](",
            "https://",
            "***",
            "args",
            "word ",
        ),
        *("def f(x):\n", '"""', "/*", "*/", "// c\n", "# c\n", "````js\n", "---\n", "```json\n", "```yaml\n", "```c\n"),
        *("x" * 50, "*" * 50, "`" * 50, " " * 50, "-" * 50, "字" * 50),
    ]
)
TEXTS = st.lists(PARTS, max_size=60).map("".join) | st.text()


@settings(deadline=None, max_examples=400, derandomize=True)
@given(TEXTS, st.lists(st.integers(1, 20), min_size=1))
def test_any_text_in_any_pieces_is_that_text_with_the_same_styles(text, sizes):
    pieces, place = [], 0
    while place < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[place : place + size])
        place += size
    spans = styled(pieces)
    assert "".join(part for part, _ in spans) == text
    assert spans == styled([text])
    assert spans == styled(text)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(TEXTS)
def test_little_is_kept_back(text):
    highlighter, shown = Highlighter(), 0
    for count, character in enumerate(text, 1):
        shown += sum(len(part) for part, _ in highlighter.push(character))
        assert count - shown <= 2 * MOST_HELD  # a mark, and a word behind it


def test_nothing_is_kept_back_of_plain_words():
    highlighter = Highlighter()
    for character in "Plain words, and numbers such as 17.":
        assert highlighter.push(character)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a **b c** d", "a {1:**b c**} d"),
        ("a *b c* d", "a {3:*b c*} d"),
        ("a _b c_ d", "a {3:_b c_} d"),
        ("__init__", "{1:__init__}"),
        ("***a** b*", "{1;3:***a**}{3: b*}"),
        ("***a* b**", "{1;3:***a*}{1: b**}"),
        ("**a *b* c**", "{1:**a }{1;3:*b*}{1: c**}"),
        ("*foo**bar**baz*", "{3:*foo}{1;3:**bar**}{3:baz*}"),
        ("a*b*c", "a{3:*b*}c"),
        ("**So:**yes", "{1:**So:**}yes"),
        ("**注意：**请看**重点**。", "{1:**注意：**}请看{1:**重点**}。"),
        ('("**a**")', '("{1:**a**}")'),
        ("**a `*` b** c", "{1:**a }{1;35:`*`}{1: b**} c"),
    ],
)
def test_emphasis_is_what_commonmark_takes_for_it(text, expected):
    assert look(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_names and more_of_them",
        "2 * 3 * 4",
        "2*x + 3, f(x)*y, a[0]*b",
        "**kwargs and *args go to f(*args, **kwargs) and (**fn_kwargs)",
        "char **argv; (*ptr)->x",
        "_private_name, _id2 and self._free(x)",
        "** a**, a **",
        r"\*a\* \`b\` \*\*c",
        "\\sum_{i}^n \\mathbf{x}_i y_j",
        "a*\nb",
        "#hashtag, #1, 3) and 1.5",
        "####### seven",
        "2024 was, 1.x is",
        "a > b, a - b, a + b",
        "-1 and -x and +1",
        "array[0] and [x]",
        "http and https: are words, the h is a letter",
    ],
)
def test_what_opens_nothing_looks_like_text(text):
    assert look(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A *b* `c`\nd", "{1:# A }{1;3:*b*}{1: }{1;35:`c`}\nd"),
        ("Title\n===\n", "Title\n{2:===}\n"),
        ("a\n\n---\n***\n_ _ _\nb", "a\n\n{2:---}\n{2:***}\n{2:_ _ _}\nb"),
        ("- a\n* b\n+ c\n10. d\n  1) e", "{36:-} a\n{36:*} b\n{36:+} c\n{36:10.} d\n{36:  1)} e"),
        ("* **a** b", "{36:*} {1:**a**} b"),
        ("**a** b", "{1:**a**} b"),
        ("> a\n>> b\n> - c", "{2:>} a\n{2:>>} b\n{2:>}{36: -} c"),
        (
            "| a | **b |\n|---|---|\n| c | d |",
            "{2:|} a {2:|} {1:**b }{2:|}\n{2:|}---{2:|}---{2:|}\n{2:|} c {2:|} d {2:|}",
        ),
        (f"{'-' * 60}\n", f"{{2:{'-' * 60}}}\n"),
        ("`a``b` c", "{35:`a``b`} c"),
        ("``a`b`` c", "{35:``a`b``} c"),
        ("`a\nb` c", "{35:`a}\n{35:b`} c"),
        ("[a](https://x.org/a_(b)_c) d_", "[a]({36:https://x.org/a_(b)_c}) d_"),
        ("see https://x.org/_a_b, (http://y.org) _c_", "see {36:https://x.org/_a_b,} ({36:http://y.org}) {3:_c_}"),
    ],
)
def test_blocks_spans_and_links_have_their_looks(text, expected):
    assert look(text) == expected


@pytest.mark.parametrize(
    "between", ["\n\n", "\n \t\n", "\n- ", "\n1. ", "\n# ", "\n> ", "\n---\n", "\n```\n```\n", "\n| ", "\r\n\r\n"]
)
@pytest.mark.parametrize("opened", ["**a", "*a b", "__a b", "`a b", "***a `b"])
def test_what_is_not_closed_ends_with_its_block(opened, between):
    assert styled([f"{opened}{between}plain"])[-1][0].endswith("plain")
    assert styled([f"{opened}{between}plain"])[-1][1] in {style for _, style in styled([f"{between}plain"])[-1:]}


def test_emphasis_goes_on_in_the_next_line_of_its_paragraph():
    assert look("a **b\nc** d") == "a {1:**b}\n{1:c**} d"
    assert look("> a **b\n> c** d") == "{2:>} a {1:**b}\n{2:>} {1:c**} d"
    assert look("> a **b\nc** d") == "{2:>} a {1:**b}\nc** d"


def test_of_much_that_is_opened_and_never_closed_only_the_last_is_kept():
    emphasis = Emphasis()
    for _ in range(1000):
        emphasis.open("*", 1, both=False)
    assert [emphasis.close("*", 1, both=False) for _ in range(MOST_OPEN + 1)] == [0] * MOST_OPEN + [1]
