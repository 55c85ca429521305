"""The first fenced code block of a text, as CommonMark has them."""

import re

from specchat.speculative.errors import SpecchatError

from ..markdown.fences import Fence, opening


def extracted(text: str) -> str | None:
    """What is in the first block; one that is not closed goes on to the end. None where there is no block."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)  # splitlines() would split at form feeds, too
    for place, line in enumerate(lines):
        if fence := opening(line):
            return "".join(_inside(lines[place + 1 :], fence))
    return None


def _inside(lines: list[str], fence: Fence) -> list[str]:
    """The lines up to the closing fence; blocks in lists are indented, and their code is not."""
    end = next((place for place, line in enumerate(lines) if fence.closes(line)), len(lines))
    unindented = re.compile(rf"[ \t]{{0,{len(fence.indent)}}}")
    return [unindented.sub("", line, count=1) for line in lines[:end]]


def no_block(seed: int) -> SpecchatError:
    """What to say of an answer without a block."""
    return SpecchatError(
        "There is no code block in the answer.", f"Without -x all of it is shown; -s {seed} answers the same again."
    )
