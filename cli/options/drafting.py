"""How to draft."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..values import one_of, whole
from .panels import DRAFTING


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftingOptions:
    """How to draft."""

    draft_max: Annotated[
        int | None,
        typer.Option(
            "--draft-max",
            parser=whole(1, "Give 1 or more; --draft none drafts nothing."),
            metavar="N",
            help="Guess at most N tokens ahead (16), fewer where that pays better.",
            rich_help_panel=DRAFTING,
        ),
    ] = None
    draft_length: Annotated[
        int | None,
        typer.Option(
            "--draft-length",
            parser=whole(0),
            metavar="N",
            help="Always guess N tokens ahead; a draft model then guesses alone, without n-grams.",
            rich_help_panel=DRAFTING,
        ),
    ] = None
    verification: Annotated[
        str,
        typer.Option(
            "--verification",
            parser=one_of("coupled", "rejection"),
            metavar="coupled|rejection",
            show_default=False,
            help="Same text with any draft (the default), or accept a little more often.",
            rich_help_panel=DRAFTING,
        ),
    ] = "coupled"
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="The same text to the last bit, by settings that are found by measuring, once, for minutes.",
            rich_help_panel=DRAFTING,
        ),
    ] = False
