"""What the doctor has to say: a row for each fact."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fact: `value` is for people, `figures` are for programs.

    `remedy` is a command that does something about it, or a sentence where no command can. What is `wrong` needs it.
    """

    name: str
    value: str
    remedy: str = ""
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
