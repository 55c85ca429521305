"""The options of `specchat session`."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from ..options.output import JsonOption
from ..options.panels import OUTPUT
from ..values import filled, one_of

SESSION = "Session"

_NameOrLatest: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        show_default=False,
        help="A name, as specchat session list shows it; without one, the latest.",
        rich_help_panel=SESSION,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What to list, and how."""

    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            parser=filled("what was said"),
            metavar="TEXT",
            help="Only those in which this was said, and where; capitals do not matter.",
            rich_help_panel=SESSION,
        ),
    ] = None
    json: JsonOption = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """What to show."""

    name: _NameOrLatest = None
    last: Annotated[bool, typer.Option("--last", help="Only the last answer.", rich_help_panel=OUTPUT)] = False
    extract: Annotated[
        bool, typer.Option("-x", "--extract", help="Only its first code block.", rich_help_panel=OUTPUT)
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """What to export, and how."""

    name: _NameOrLatest = None
    form: Annotated[
        str,
        typer.Option(
            "--format",
            parser=one_of("markdown", "json"),
            metavar="markdown|json",
            show_default=False,
            help="What to write; markdown is the default.",
            rich_help_panel=OUTPUT,
        ),
    ] = "markdown"
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            parser=filled("a file"),
            metavar="FILE",
            help="Write it to this file, not to standard output.",
            rich_help_panel=OUTPUT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveOptions:
    """What to remove."""

    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="A name, as specchat session list shows it.",
            rich_help_panel=SESSION,
        ),
    ]
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.", rich_help_panel=SESSION)] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PathOptions:
    """Whose path."""

    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", show_default=False, help="A session; without one, their folder.", rich_help_panel=SESSION
        ),
    ] = None
