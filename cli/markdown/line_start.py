"""What the start of a line says about it."""

import re
from dataclasses import dataclass
from typing import Literal

from .fences import Fence, opening
from .limits import MOST_HELD

Kind = Literal["blank", "text", "table", "heading", "rule", "quote", "item", "fence"]

_RULE = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*)*|=+[ \t]*")
"""A rule, or the underline of a heading, or the start of one."""
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)")
_UNSURE_ITEM = re.compile(r"\d{1,9}")
_FENCE = re.compile(r"`+|~+")


@dataclass(frozen=True, slots=True)
class LineStart:
    """What a line is, as far as its first characters say, and those that say it."""

    kind: Kind
    text: str
    fence: Fence | None = None


def line_start(text: str, final: bool) -> LineStart | None:
    """What the line at the start of `text` is, or the rest of it behind quote marks and bullets.

    None while it takes more to know. `final` says that no more comes. Of a long line, its beginning decides.
    """
    line, ended, _ = text.partition("\n")
    whole = len(line) <= MOST_HELD and (bool(ended) or final)
    unsure = len(line) <= MOST_HELD and not whole
    line = line[:MOST_HELD]
    rest = line.lstrip(" \t\r")
    indent = line[: len(line) - len(rest)]
    if not rest:
        return None if unsure else LineStart("blank" if whole else "text", line)
    if _RULE.fullmatch(rest):
        if unsure:
            return None
        if rest[0] == "=" or rest.count(rest[0]) >= 3:
            return LineStart("rule", line)
    if rest[0] in "`~":
        return _fence_or_text(line, indent, rest, unsure)
    return _marked(indent, rest, unsure)


def _fence_or_text(line: str, indent: str, rest: str, unsure: bool) -> LineStart | None:
    """A line that opens a block of code is known at its end only: a code span may begin like it."""
    run = _FENCE.match(rest)
    assert run is not None
    if not unsure and (fence := opening(line)):
        return LineStart("fence", line, fence)
    maybe = run.end() == len(rest) or (run.end() >= 3 and (rest[0] == "~" or "`" not in rest[run.end() :]))
    return None if unsure and maybe else LineStart("text", indent)


def _marked(indent: str, rest: str, unsure: bool) -> LineStart | None:
    if rest[0] == ">":
        return LineStart("quote", indent + ">")
    if rest[0] == "|":
        return LineStart("table", indent)
    heading = _HEADING.match(rest) if len(indent) <= 3 else None
    mark = heading or _ITEM.match(rest)
    if mark is None:
        return None if unsure and _UNSURE_ITEM.fullmatch(rest) else LineStart("text", indent)
    if mark.end() == len(rest) and unsure:
        return None
    return LineStart("heading" if heading else "item", indent + mark[0])
