"""The doctor's rows as text for people and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..display.screen import one_line, wrapped
from ..environment import Environment
from .rows import Row, Topic, wrong_rows

_NARROW = 60
"""Columns: with less, values stand below their names."""
_INDENT = " " * 4
_YELLOW, _RESET = "\x1b[33m", "\x1b[0m"


def write_report(env: Environment, topics: Sequence[Topic]) -> None:
    """Write the topics, one below the other."""
    width = max(len(row.name) for topic in topics for row in topic.rows)
    for place, topic in enumerate(topics):
        env.stdout.write("\n" if place else "")
        for row in topic.rows:
            env.stdout.writelines(f"{line}\n" for line in _lines(env, row, width))


def _lines(env: Environment, row: Row, width: int) -> Iterator[str]:
    """Commands stay in one piece, however long: so they can be copied."""
    name, value, room = one_line(row.name), one_line(row.value), env.room
    if room is not None and room < _NARROW:
        yield name
        yield from _block(_INDENT, value, room)
    else:
        first, *others = _block(" " * (width + 2), value, room)
        yield f"{name:<{width}}  {first.lstrip()}"
        yield from others
    label = "mend:" if row.wrong else "try:"
    if row.advice:
        first, *others = _block(_INDENT, f"{label} {one_line(row.advice)}", room)
        yield _colored(env, first)
        yield from others
    if row.command:
        yield _colored(env, f"{_INDENT}{label} {one_line(row.command)}")


def _block(indent: str, text: str, room: int | None) -> list[str]:
    """A text in as many lines as it takes, each after `indent`."""
    lines = [text] if room is None else wrapped(text, max(20, room - len(indent))).split("\n")
    return [indent + line for line in lines]


def _colored(env: Environment, line: str) -> str:
    """What needs mending is seen at once."""
    return line.replace("mend:", f"{_YELLOW}mend:{_RESET}", 1) if env.colors_on(env.stdout_is_terminal) else line


def report_content(topics: Sequence[Topic]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "fine": not wrong_rows(topics),
        "topics": {topic.name: [_content(row) for row in topic.rows] for topic in topics},
    }


def _content(row: Row) -> dict[str, Any]:
    return {
        "name": row.name.strip(),
        "value": row.value,
        "needs_mending": row.wrong,
        "command": row.command or None,
        "advice": row.advice or None,
        "figures": dict(row.figures),
    }
