"""A session for other programs, and for people to read."""

import re
from typing import Any

from .lines import FORMAT, turn_content
from .transcript import Transcript

_TICKS = re.compile(r"`+")


def session_content(name: str, chat: Transcript) -> dict[str, Any]:
    """What JSON says of a session; the messages start with the system prompt, if there is one."""
    header = chat.header
    system = [] if chat.system is None else [{"role": "system", "content": chat.system}]
    return {
        "format": FORMAT,
        "name": name,
        "started": header.started,
        "model": header.model,
        "draft": header.draft,
        "messages": [*system, *(turn_content(turn) for turn in chat.turns)],
    }


def session_markdown(name: str, chat: Transcript) -> str:
    """A session as Markdown: a heading for each speaker, what people wrote as it is, answers as what they mean."""
    header = chat.header
    facts = [("Started", header.started), ("Model", header.model), ("Draft", header.draft)]
    parts = [f"# {name}", "\n".join(f"- {word}: {_code(value)}" for word, value in facts if value)]
    for message in chat.messages:
        text = message.content
        parts.append(f"## {message.role.capitalize()}")
        if message.reasoning:
            parts += ["### Reasoning", _fenced(message.reasoning), "### Answer"]
        parts.append(text if _is_safe(message.role, text) else _fenced(text))
    return "\n\n".join(part for part in parts if part) + "\n"


def _is_safe(role: str, text: str) -> bool:
    """Whether a text may stand there as Markdown: it is meant as that, and all that it opens it also closes."""
    if role != "assistant":
        return False
    from markdown_it import MarkdownIt

    blocks = MarkdownIt("commonmark").disable("inline").parse(f"{text}\n\n# end\n")
    return [(block.type, block.level) for block in blocks[-3:-1]] == [("heading_open", 0), ("inline", 1)]


def _fenced(text: str) -> str:
    """The text as it is, between fences that are longer than any in it."""
    fence = _ticks(text, 3)
    return f"{fence}text\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def _code(text: str) -> str:
    """The text as code in a line."""
    line = " ".join(text.split())
    ticks = _ticks(line, 1)
    padding = " " if "`" in line else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def _ticks(text: str, least: int) -> str:
    return "`" * max([least, *(len(run) + 1 for run in _TICKS.findall(text))])
