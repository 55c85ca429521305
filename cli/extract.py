"""The first fenced code block of a text, as CommonMark has them."""

import re

from specchat.speculative.errors import SpecchatError

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
"""Behind backticks there are no more of them on that line; they would be a code span."""


def extracted(text: str) -> str | None:
    """What is in the first block; one that is not closed goes on to the end. None where there is no block."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)  # splitlines() would split at form feeds, too
    for place, line in enumerate(lines):
        if opening := _OPENING.match(line.rstrip("\r\n")):
            return "".join(_inside(lines[place + 1 :], opening["fence"], len(opening["indent"])))
    return None


def _inside(lines: list[str], fence: str, indent: int) -> list[str]:
    """The lines up to the closing fence; blocks in lists are indented, and their code is not."""
    closing = re.compile(rf"[ \t]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*")
    end = next((place for place, line in enumerate(lines) if closing.fullmatch(line.rstrip("\r\n"))), len(lines))
    unindented = re.compile(rf"[ \t]{{0,{indent}}}")
    return [unindented.sub("", line, count=1) for line in lines[:end]]


def no_block(seed: int) -> SpecchatError:
    """What to say of an answer without a block."""
    return SpecchatError(
        "There is no code block in the answer.", f"Without -x all of it is shown; -s {seed} answers the same again."
    )
