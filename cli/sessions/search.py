"""Words in what was said."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from .store import Listed
from .transcript import Transcript

_AROUND = 30


def searched(rows: Iterable[Listed], text: str) -> Iterator[Listed]:
    """Of some sessions those in which `text` was said, with the last place where it was."""
    pattern = re.compile(r"\s+".join(map(re.escape, text.split())), re.IGNORECASE)
    for row in rows:
        if row.transcript and (found := _last_place(row.transcript, pattern)):
            yield replace(row, found=found)


def _last_place(chat: Transcript, pattern: re.Pattern[str]) -> str:
    for message in reversed(chat.messages):
        if match := pattern.search(message.content):
            return f"{message.role}: {_surrounded(message.content, match)}"
    return ""


def _surrounded(text: str, match: re.Match[str]) -> str:
    """What matched, with some of what stands before and behind it, in a line."""
    start, end = max(0, match.start() - _AROUND), match.end() + _AROUND
    words = " ".join(text[start:end].split())
    return f"{'…' if start else ''}{words}{'…' if end < len(text) else ''}"
