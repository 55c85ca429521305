"""What the doctor has to say: a row for each fact."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fact: `value` is for people, `figures` are for programs.

    `command` does something about it, and `advice` says what no command can do, or what comes before it. What is
    `wrong` has one of them.
    """

    name: str
    value: str
    command: str = ""
    advice: str = ""
    wrong: bool = False
    figures: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Topic:
    """Rows that belong together; programs know them by `name`."""

    name: str
    rows: tuple[Row, ...]


def wrong_rows(topics: Iterable[Topic]) -> list[Row]:
    """All that needs mending."""
    return [row for topic in topics for row in topic.rows if row.wrong]
