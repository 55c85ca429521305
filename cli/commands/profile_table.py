"""Profiles as a table, as a page, and as JSON."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specchat.profiles.profile import Profile
from specchat.profiles.settings import NAMES
from specchat.profiles.store import SHIPPED, Profiles
from specchat.speculative.errors import SpecchatError

from ..display.screen import visible, wrapped
from .show_config import Row, rows_of, table

_INDENT = " " * 4
_NARROW = 46
"""With fewer columns beside the names, a table would be mostly empty."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A profile, or why it cannot be read."""

    name: str
    profile: Profile | None
    error: str = ""


def listed(profiles: Profiles) -> list[Listed]:
    """All profiles."""
    return [_listed(profiles, name) for name in profiles.names()]


def _listed(profiles: Profiles, name: str) -> Listed:
    try:
        return Listed(name, profiles.load(name))
    except SpecchatError as error:
        return Listed(name, None, error.message)


def overview(rows: Sequence[Listed], columns: int | None) -> str:
    """A line for each profile, broken between words where there is only so much room."""
    width = max(len(row.name) for row in rows)
    if columns is not None and columns < width + _NARROW:
        return _folded(rows, columns)
    lines = [f"{'NAME':<{width}}  {'DOWNLOAD':>8}  {'MEMORY':>6}  WHAT"]
    for row in rows:
        sizes = f"{_size(row.profile, 'download'):>8}  {_size(row.profile, 'memory'):>6}"
        start = f"{visible(row.name):<{width}}  {sizes}  "
        lines.append(wrapped(f"{start}{visible(_what(row))}", columns or sys.maxsize, " " * len(start)).rstrip())
    return "\n".join(lines) + "\n"


def _folded(rows: Sequence[Listed], columns: int) -> str:
    """A few lines for each profile."""
    lines = []
    for row in rows:
        sizes = [f"{size} {noun}" for noun in ("download", "memory") if (size := _size(row.profile, noun))]
        what = visible(": ".join(filter(None, [", ".join(sizes), _what(row)])))
        lines += [visible(row.name), wrapped(f"{_INDENT}{what}", columns, _INDENT)]
    return "\n".join(lines) + "\n"


def _size(profile: Profile | None, name: str) -> str:
    value = getattr(profile.about, name) if profile else None
    return "" if value is None else f"{value:g} GB"


def _what(row: Listed) -> str:
    if row.profile is None:
        return f"cannot be used: {row.error}"
    mine = "" if row.profile.file.parent == SHIPPED else "yours"
    return ": ".join(filter(None, [mine, row.profile.about.description]))


def overview_json(rows: Sequence[Listed]) -> dict[str, Any]:
    """All of it for programs."""
    return {
        "profiles": [shown_json(row.profile) if row.profile else {"name": row.name, "error": row.error} for row in rows]
    }


def shown(profile: Profile, columns: int | None) -> str:
    """A page about a profile: what it says for people, then what it sets and where that is said."""
    about = profile.about
    facts = {
        "name": profile.name,
        "file": str(profile.file),
        "extends": profile.extends,
        "description": about.description,
        "licence": about.licence,
        "source": "\n".join(about.source),
        "download": _size(profile, "download"),
        "memory": _size(profile, "memory"),
    }
    width = max(map(len, facts))
    said = [
        f"{name if first else '':<{width}}  {visible(line)}\n"
        for name, value in facts.items()
        if value
        for first, line in _numbered(value)
    ]
    return "".join(said) + "\n" + table(_rows(profile), columns)


def _numbered(text: str) -> list[tuple[bool, str]]:
    return [(place == 0, line) for place, line in enumerate(text.splitlines())]


def _rows(profile: Profile) -> list[Row]:
    return rows_of(profile.layer, [name for name in NAMES if name in profile.settings.said()])


def shown_json(profile: Profile) -> dict[str, Any]:
    """The same for programs."""
    about = profile.about
    return {
        "name": profile.name,
        "file": str(profile.file),
        "shipped": profile.file.parent == SHIPPED,
        "extends": profile.extends,
        "description": about.description,
        "licence": about.licence,
        "source": list(about.source),
        "download_gb": about.download,
        "memory_gb": about.memory,
        "settings": {row.name: row.value for row in _rows(profile)},
    }
