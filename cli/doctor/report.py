"""The doctor's rows as text for people and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from ..environment import Environment
from ..screen import one_line, wrapped
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
    value = one_line(row.value)
    if env.room is None:
        yield f"{row.name:<{width}}  {value}"
    elif env.room < _NARROW:
        yield one_line(row.name)
        yield wrapped(f"{_INDENT}{value}", env.room, _INDENT)
    else:
        gap = " " * (width + 2)
        yield wrapped(f"{row.name:<{width}}  {value}", env.room, gap)
    if row.remedy:
        yield _remedy(env, row)


def _remedy(env: Environment, row: Row) -> str:
    """In one piece, however long: so it can be copied."""
    label = "mend:" if row.wrong else "try:"
    if row.wrong and env.colors_on(env.stdout_is_terminal):
        label = f"{_YELLOW}{label}{_RESET}"
    return f"{_INDENT}{label} {one_line(row.remedy)}"


def report_content(topics: Sequence[Topic]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "fine": not wrong_rows(topics),
        "topics": {topic.name: [_content(row) for row in topic.rows] for topic in topics},
    }


def _content(row: Row) -> dict[str, Any]:
    said = {"name": row.name, "value": row.value, "needs_mending": row.wrong, "remedy": row.remedy or None}
    return {**said, "figures": dict(row.figures)}
