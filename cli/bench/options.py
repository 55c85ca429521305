"""The options of `specchat bench`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from specchat.profiles.paths import expanded
from specchat.speculative.bench.cases import KINDS

from ..options.output import DebugOption
from ..options.panels import OUTPUT
from ..values import Several, number, several, whole

WHAT, HOW_LONG = "What to measure", "How long"


def kinds_value(text: str) -> Several[str]:
    """Kinds of text, separated by commas."""
    kinds = tuple(text.split(","))
    for kind in kinds:
        if kind not in KINDS:
            raise typer.BadParameter(f"There is no kind {kind!r}.\nThe kinds are: {', '.join(KINDS)}.")
    return Several(kinds)


def lengths_value(text: str) -> Several[int]:
    """Draft lengths, separated by commas."""
    return several(whole(1, "Give draft lengths of 1 or more, as in 2,4,8; plain decoding is always measured."))(text)


def set_value(text: str) -> int:
    """One of the two sets of prompts."""
    if text not in ("1", "2"):
        raise typer.BadParameter(f"There is no set {text!r}.\nGive 1 or 2.")
    return int(text)


def plot_value(text: str) -> Path:
    """A file that a plot can be written to."""
    if Path(text).suffix not in (".png", ".svg"):
        raise typer.BadParameter(f"{text!r} is neither a .png nor an .svg file.\nAs in --plot bench.svg")
    return expanded(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """What to measure."""

    files: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--file",
            metavar="FILE",
            show_default=False,
            help="A prompt of your own, instead of the packaged ones (repeatable).",
            rich_help_panel=WHAT,
        ),
    ] = None
    kinds: Annotated[
        Several[str] | None,
        typer.Option(
            "--kinds",
            parser=kinds_value,
            metavar="KIND,…",
            help=f"Packaged prompts: {', '.join(KINDS)}. Without --full, the first four.",
            rich_help_panel=WHAT,
        ),
    ] = None
    prompt_set: Annotated[
        int | None,
        typer.Option(
            "--set",
            parser=set_value,
            metavar="1|2",
            help="Defaults of specchat are tuned on set 1; nothing ever was on set 2, the default.",
            rich_help_panel=WHAT,
        ),
    ] = None
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="FILE",
            help="Measure this model too, plain: a smaller quantisation may beat all drafting.",
            rich_help_panel=WHAT,
        ),
    ] = None
    fixed: Annotated[
        Several[int] | None,
        typer.Option(
            "--fixed", parser=lengths_value, metavar="N,…", help="Fixed draft lengths too.", rich_help_panel=WHAT
        ),
    ] = None
    temperatures: Annotated[
        Several[float] | None,
        typer.Option(
            "--temp",
            "--temperature",
            parser=several(number(0)),
            metavar="T,…",
            help="Usually what the model would be run at; with --full 0 as well.",
            rich_help_panel=WHAT,
        ),
    ] = None
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Measure how exact drafting is, not how fast: how passes round, also with --exact; once, for minutes.",
            rich_help_panel=WHAT,
        ),
    ] = False
    seed: Annotated[
        int, typer.Option("-s", "--seed", parser=whole(0), metavar="N", help="For all answers.", rich_help_panel=WHAT)
    ] = 0
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="The whole table: all kinds, greedy too, n-grams too, 256 tokens, up to an hour.",
            rich_help_panel=HOW_LONG,
        ),
    ] = False
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            parser=number(1),
            metavar="S",
            help="Stop after so long, or when all is known to ± 1.5 %; usually 180.",
            rich_help_panel=HOW_LONG,
        ),
    ] = None
    tokens: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--tokens",
            parser=whole(2),
            metavar="N",
            help="At most N tokens an answer; usually 128.",
            rich_help_panel=HOW_LONG,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOutputOptions:
    """What to show."""

    json: Annotated[bool, typer.Option("--json", help="One JSON object, with every pair.", rich_help_panel=OUTPUT)] = (
        False
    )
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            parser=plot_value,
            metavar="FILE",
            help="Draw it into a .png or .svg file.",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="The result only.", rich_help_panel=OUTPUT)] = False
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="llama.cpp's log.", rich_help_panel=OUTPUT)] = False
    debug: DebugOption = False
