"""What has several parts as notes, laid out for the terminal that notes go to."""

import sys
from collections.abc import Sequence

from ..environment import Environment
from .screen import joined, width_of, wrapped

_INDENT = "    "


def items_note(env: Environment, items: Sequence[str]) -> str:
    """Short things in as few lines as they fit in, broken between them."""
    return joined(items, env.columns() if env.stderr_is_terminal else sys.maxsize)


def row_notes(env: Environment, rows: Sequence[tuple[str, str]]) -> list[str]:
    """A note for each name with what belongs to it: below it, in lines that hang together, where there is no room."""
    width, columns = max(len(name) for name, _ in rows), env.columns()
    return [
        f"{name}\n{wrapped(_INDENT + text, columns, _INDENT)}"
        if width + 2 + width_of(text) > columns
        else f"{name:<{width}}  {text}"
        for name, text in rows
    ]
