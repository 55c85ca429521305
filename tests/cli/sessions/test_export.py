"""Sessions for other programs: whatever was said, who said it can be told."""

import json
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from specchat.cli.display.json_text import written
from specchat.cli.sessions.export import session_content, session_markdown
from specchat.cli.sessions.lines import Header, Turn
from specchat.cli.sessions.transcript import Transcript
from specchat.speculative.messages import Message

HEADER = Header("2026-01-31T12:00:00+01:00", "big.gguf", "small.gguf", "Be brief.")
FRAGMENTS = ["```", "````", "~~~", "```python", "\n", "\n\n", "  ", "    ", "- ", "> ", "1. ", "<!--", "-->", "<pre>"]
TRICKY = st.lists(
    st.sampled_from([*FRAGMENTS, "</pre>", "<div>", "x", "# ", "---", "[a]: ", "|", "\r", "\t", "`"])
).map("".join)


def chat(*messages: tuple[str, str], header: Header = HEADER) -> Transcript:
    transcript = Transcript.begun(header)
    for role, text in messages:
        transcript.apply(Turn(Message(role, text), "2026-01-31T12:01:00+01:00"))  # type: ignore[arg-type]
    return transcript


def test_a_session_as_markdown():
    said = chat(("user", "What is **this**?\n```\n# x"), ("assistant", "A *comment*:\n\n```python\n# x\n```\n"))
    assert session_markdown("mine", said) == (
        "# mine\n\n"
        "- Started: `2026-01-31T12:00:00+01:00`\n- Model: `big.gguf`\n- Draft: `small.gguf`\n\n"
        "## System\n\n```text\nBe brief.\n```\n\n"
        "## User\n\n````text\nWhat is **this**?\n```\n# x\n````\n\n"
        "## Assistant\n\nA *comment*:\n\n```python\n# x\n```\n\n"
    )


def test_an_answer_that_was_cut_in_its_code_is_fenced():
    text = session_markdown("mine", chat(("assistant", "So:\n```python\nx = 1"), ("user", "Go on")))
    assert "## Assistant\n\n````text\nSo:\n```python\nx = 1\n````\n\n## User\n\n" in text


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), TRICKY), max_size=5), TRICKY)
def test_every_speaker_has_a_heading_whatever_is_said(messages, name):
    header = replace(HEADER, model=name, system=None)
    blocks = MarkdownIt("commonmark").parse(session_markdown("mine", chat(*messages, header=header)))
    titles = [
        following.content
        for block, following in pairwise(blocks)
        if block.type == "heading_open" and block.level == 0 and following.content in ("User", "Assistant", "System")
    ]
    assert titles == [role.capitalize() for role, _ in messages]


@given(st.lists(st.tuples(st.sampled_from(["user", "system"]), TRICKY), max_size=3))
def test_what_people_wrote_is_there_as_they_wrote_it(messages):
    blocks = MarkdownIt("commonmark").parse(session_markdown("mine", chat(*messages)))
    fences = [block.content for block in blocks if block.type == "fence"]
    expected = [text.replace("\r\n", "\n").replace("\r", "\n") for _, text in messages]
    assert fences[1:] == [text if text.endswith("\n") else f"{text}\n" for text in expected]


def test_a_session_as_json():
    said = chat(("user", "Hi"))
    said.apply(Turn(Message("assistant", "Hel\ud800"), "later", "interrupted", None))
    assert json.loads(written(session_content("mine", said))) == {
        "format": 1,
        "name": "mine",
        "started": "2026-01-31T12:00:00+01:00",
        "model": "big.gguf",
        "draft": "small.gguf",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi", "at": "2026-01-31T12:01:00+01:00"},
            {"role": "assistant", "content": "Hel\ud800", "at": "later", "finish_reason": "interrupted", "seed": None},
        ],
    }
