"""Profiles as a table, as a page, and as JSON."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specchat.profiles.profile import Profile
from specchat.profiles.settings import NAMES
from specchat.profiles.store import SHIPPED, Profiles
from specchat.speculative.errors import SpecchatError

from .screen import visible
from .show_config import Row, rows_of, table


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
    lines = [f"{'NAME':<{width}}  {'DOWNLOAD':>8}  {'MEMORY':>6}  WHAT"]
    for row in rows:
        sizes = f"{_size(row.profile, 'download'):>8}  {_size(row.profile, 'memory'):>6}"
        start = f"{visible(row.name):<{width}}  {sizes}  "
        room = max(20, columns - len(start)) if columns else 1000
        what, *others = textwrap.wrap(visible(_what(row)), room) or [""]
        lines += [f"{start}{what}".rstrip(), *(" " * len(start) + other for other in others)]
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


def shown(profile: Profile) -> str:
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
    return "".join(said) + "\n" + table(_rows(profile))


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
