"""The lines that open and close blocks of code, as CommonMark has them, at any indent: blocks in lists are indented."""

import re
from dataclasses import dataclass

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)", re.DOTALL)
"""Behind backticks there are no more of them on that line; they would be a code span."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The line that opened a block: its white space, its row of marks, and what it says of the code."""

    indent: str
    mark: str
    info: str

    def closes(self, line: str) -> bool:
        """Whether `line` ends the block: with at least as many of the same marks, and nothing else."""
        closing = rf"[ \t]*{re.escape(self.mark[0])}{{{len(self.mark)},}}[ \t]*"
        return re.fullmatch(closing, line.rstrip("\r\n")) is not None


def opening(line: str) -> Fence | None:
    """The fence that a whole line is, if it opens a block."""
    match = _OPENING.match(line.rstrip("\r\n"))
    return Fence(match["indent"], match["mark"], match["info"].strip()) if match else None
