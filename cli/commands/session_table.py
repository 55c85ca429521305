"""Sessions as a table, as a page, and as JSON."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..display.quantities import moment
from ..display.screen import joined, one_line
from ..display.table import Entry, table_lines
from ..sessions.lines import Turn
from ..sessions.place import Place
from ..sessions.store import Listed
from ..sessions.transcript import Transcript

_HEADER = ("name", "answers", "changed", "model", "first words")
_LONGEST = 40
_ENDS = {
    "length": "cut off",
    "cancelled": "stopped",
    "context_full": "context full",
    "error": "ended by an error",
    "interrupted": "interrupted",
}


def overview(rows: Sequence[Listed], columns: int | None) -> list[str]:
    """The lines of a table of sessions."""
    return table_lines(_HEADER, [Entry(_cells(row), _notes(row)) for row in rows], columns, named=("answers",))


def overview_json(folder: Path, rows: Sequence[Listed]) -> dict[str, Any]:
    """The same for programs."""
    return {"sessions": [_content(folder, row) for row in rows]}


def shown(name: str, chat: Transcript, columns: int | None) -> str:
    """What was said in a session, for people to read."""
    header = chat.header
    facts = [name, _minute(header.started), header.model, header.draft and f"drafted by {header.draft}"]
    parts = [joined([one_line(fact) for fact in facts if fact], columns or sys.maxsize)]
    if chat.system is not None:
        parts.append(f"system:\n{chat.system}")
    parts += [f"{_speaker(turn)}:\n{turn.message.content}" for turn in chat.turns]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _speaker(turn: Turn) -> str:
    end = _ENDS.get(turn.finish_reason or "")
    return f"{turn.message.role} ({end})" if end else turn.message.role


def _cells(row: Listed) -> tuple[str, ...]:
    changed = _minute(moment(row.changed).astimezone().isoformat())
    if row.transcript is None:
        return (row.name, "", changed, "", "")
    chat = row.transcript
    return (row.name, str(chat.answers), changed, _short(chat.header.model), _beginning(chat.first_words))


def _notes(row: Listed) -> list[str]:
    return [each for each in (row.error, row.found) if each]


def _content(folder: Path, row: Listed) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": row.name,
        "path": str(Place(folder, row.name).file),
        "changed": moment(row.changed).isoformat(timespec="seconds"),
        **({"found": row.found} if row.found else {}),
    }
    if row.transcript is None:
        return content | {"error": row.error}
    chat = row.transcript
    return content | {
        "started": chat.header.started,
        "answers": chat.answers,
        "model": chat.header.model,
        "draft": chat.header.draft,
        "first_words": _beginning(chat.first_words),
    }


def _minute(moment: str) -> str:
    """The day and the minute of a time in ISO 8601."""
    return moment[:16].replace("T", " ")


def _short(model: str) -> str:
    """A model without the folders that it is in."""
    return model.replace("\\", "/").rpartition("/")[2].removesuffix(".gguf")


def _beginning(text: str) -> str:
    """The first words of a text, in a line."""
    words = " ".join(text[: 4 * _LONGEST].split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
