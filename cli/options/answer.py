"""Where the answer ends."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..values import token_limit
from .panels import ANSWER


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """Where the answer ends."""

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
