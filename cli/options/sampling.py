"""How tokens are chosen."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..habits import seed_value
from ..values import number, whole
from .panels import SAMPLING


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingOptions:
    """How tokens are chosen. What is not given comes from the profile, the model's file, or llama.cpp's defaults."""

    seed: Annotated[
        int,
        typer.Option(
            "-s",
            "--seed",
            parser=seed_value,
            metavar="N",
            help="-1, the default, chooses one.",
            show_default=False,
            rich_help_panel=SAMPLING,
        ),
    ] = -1
    temperature: Annotated[
        float | None,
        typer.Option(
            "--temp",
            "--temperature",
            parser=number(0),
            metavar="T",
            help="0 takes the likeliest token; usually 0.8.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    top_k: Annotated[
        int | None,
        typer.Option(
            "--top-k",
            parser=whole(-1),
            metavar="N",
            help="Keep the N likeliest tokens; usually 40, 0 keeps all.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    top_p: Annotated[
        float | None,
        typer.Option(
            "--top-p",
            parser=number(0, 1),
            metavar="P",
            help="Keep tokens up to this total probability; usually 0.95.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    min_p: Annotated[
        float | None,
        typer.Option(
            "--min-p",
            parser=number(0, 1),
            metavar="P",
            help="Drop tokens below P times the best; usually 0.05.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    repeat_penalty: Annotated[
        float | None,
        typer.Option(
            "--repeat-penalty",
            parser=number(),
            metavar="X",
            help="Make recent tokens less likely; 1 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    presence_penalty: Annotated[
        float | None,
        typer.Option(
            "--presence-penalty",
            parser=number(),
            metavar="X",
            help="Taken off what occurred at all; 0 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    frequency_penalty: Annotated[
        float | None,
        typer.Option(
            "--frequency-penalty",
            parser=number(),
            metavar="X",
            help="Taken off each time it occurred; 0 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    penalty_last_n: Annotated[
        int | None,
        typer.Option(
            "--repeat-last-n",
            parser=whole(-1),
            metavar="N",
            help="How many tokens are recent: usually 64, -1 all.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
