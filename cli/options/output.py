"""What to show."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from .panels import OUTPUT

JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object.", rich_help_panel=OUTPUT)]
DebugOption: TypeAlias = Annotated[bool, typer.Option("--debug", help="Tracebacks of errors.", rich_help_panel=OUTPUT)]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """What to show."""

    json: Annotated[
        bool, typer.Option("--json", help="One JSON object with text and statistics.", rich_help_panel=OUTPUT)
    ] = False
    stats: Annotated[
        bool,
        typer.Option("--stats", help="The statistics line, also when output is redirected.", rich_help_panel=OUTPUT),
    ] = False
    tint: Annotated[
        bool, typer.Option("--tint", help="Colour the tokens that were drafted right.", rich_help_panel=OUTPUT)
    ] = False
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Show Markdown and code in colours; the text stays.", rich_help_panel=OUTPUT),
    ] = False
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="The answer and errors only.", rich_help_panel=OUTPUT)
    ] = False
    verbose: Annotated[
        bool, typer.Option("-v", "--verbose", help="llama.cpp's log, and the statistics.", rich_help_panel=OUTPUT)
    ] = False
    debug: DebugOption = False
