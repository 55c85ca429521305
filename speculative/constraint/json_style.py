"""The white space between the parts of JSON, as a text has used it so far: a grammar leaves that open."""

import re

WHITE = b" \t\r\n"
_FIRST = re.compile(rb"\s*[{\[](\s*)[^\s}\]]")
_COLON = re.compile(rb'"\s*:(\s*)\S')


def white_space(text: bytes, following: int) -> bytes | None:
    """What is likely to stand between `text` and the byte `following` of the next part; None if nobody can tell yet.

    Lines are indented by the first one; on a single line, a comma is followed by what colons are.
    """
    solid = text.rstrip(WHITE)
    between = _between(solid, following)
    begun = text[len(solid) :]
    if between is None or between.startswith(begun):
        return between and between[len(begun) :]
    return b""


def _between(solid: bytes, following: int) -> bytes | None:
    before, first, colon = solid[-1:], _FIRST.match(solid), _COLON.search(solid)
    opening = first[1] if first else None
    after_colon = colon[1] if colon else b" "
    match before:
        case b"{" | b"[":
            return None if opening is None else _line(solid, opening, 1) or opening
        case b":":
            return after_colon
        case b",":
            return _line(solid, opening or b"", 0) or after_colon
    return (following in b"}]" and _line(solid, opening or b"", -1)) or b""


def _line(solid: bytes, opening: bytes, deeper: int) -> bytes:
    """A new line, so many steps deeper than the last one; nothing where the text has no lines."""
    if b"\n" not in opening:
        return b""
    step = opening[opening.rindex(b"\n") + 1 :]
    last = solid[solid.rindex(b"\n") + 1 :]
    indent = last[: len(last) - len(last.lstrip(b" \t"))]
    return b"\n" + (indent + step if deeper > 0 else indent[: len(indent) + deeper * len(step)])
