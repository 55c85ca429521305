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
    typical_p: Annotated[
        float | None,
        typer.Option(
            "--typical",
            "--typical-p",
            parser=number(0, 1),
            metavar="P",
            help="Keep tokens of typical surprise up to this probability; 1 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    top_n_sigma: Annotated[
        float | None,
        typer.Option(
            "--top-nsigma",
            "--top-n-sigma",
            parser=number(),
            metavar="N",
            help="Keep logits at most N deviations below the best; -1 is off.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    xtc_probability: Annotated[
        float | None,
        typer.Option(
            "--xtc-probability",
            parser=number(0, 1),
            metavar="P",
            help="How often to leave the top choices out; 0 is never.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    xtc_threshold: Annotated[
        float | None,
        typer.Option(
            "--xtc-threshold",
            parser=number(0, 1),
            metavar="P",
            help="What a top choice reaches; the last of them stays; usually 0.1.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    dry_multiplier: Annotated[
        float | None,
        typer.Option(
            "--dry-multiplier",
            parser=number(),
            metavar="X",
            help="Make going on with a repetition less likely; 0 is off, 0.8 is usual.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    dry_base: Annotated[
        float | None,
        typer.Option(
            "--dry-base",
            parser=number(1),
            metavar="X",
            help="X times less for each token more; usually 1.75.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    dry_allowed_length: Annotated[
        int | None,
        typer.Option(
            "--dry-allowed-length",
            parser=whole(0),
            metavar="N",
            help="Repetitions of up to N tokens are free; usually 2.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    dry_penalty_last_n: Annotated[
        int | None,
        typer.Option(
            "--dry-penalty-last-n",
            parser=whole(-1),
            metavar="N",
            help="Look for them in the last N tokens: usually 64, -1 all.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    dry_sequence_breakers: Annotated[
        list[str] | None,
        typer.Option(
            "--dry-sequence-breaker",
            metavar="TEXT",
            show_default=False,
            help="What no repetition goes across, instead of line ends, colons, quotes and stars (repeatable); "
            "none is nothing.",
            rich_help_panel=SAMPLING,
        ),
    ] = None
    logit_bias: Annotated[
        list[str] | None,
        typer.Option(
            "-l",
            "--logit-bias",
            metavar="ID±BIAS",
            show_default=False,
            help="Make a token likelier or less: 15043+1, 15043-2; 15043-inf forbids it (repeatable).",
            rich_help_panel=SAMPLING,
        ),
    ] = None
