"""Where the answer ends, and which form it has."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..values import filled, token_limit
from .panels import ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """Where the answer ends, and which form it has."""

    limit: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--n-predict",
            "--max-tokens",
            parser=token_limit,
            metavar="N",
            help="At most N tokens; -1, the default, is no limit.",
            rich_help_panel=ANSWER,
        ),
    ] = None
    stop: Annotated[
        list[str] | None,
        typer.Option(
            "-r",
            "--stop",
            metavar="TEXT",
            show_default=False,
            help="End the answer before this text (repeatable).",
            rich_help_panel=ANSWER,
        ),
    ] = None
    json_schema: Annotated[
        str | None,
        typer.Option(
            "--json-schema",
            parser=filled("a file with a JSON schema, or its text"),
            metavar="FILE|TEXT",
            help="Answer with JSON that meets this schema; none overrules that of a profile.",
            rich_help_panel=ANSWER,
        ),
    ] = None
    grammar: Annotated[
        str | None,
        typer.Option(
            "--grammar",
            parser=filled("a file with a grammar, or its text"),
            metavar="FILE|TEXT",
            help="Answer with what this grammar allows (Lark or GBNF); or none.",
            rich_help_panel=ANSWER,
        ),
    ] = None
