"""The options that scripts want."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..values import filled, one_of, whole

SCRIPTS = "Scripts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptOptions:
    """What becomes of an answer, and how many there are."""

    extract: Annotated[
        bool,
        typer.Option("-x", "--extract", help="Only the first code block of the answer.", rich_help_panel=SCRIPTS),
    ] = False
    destination: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            parser=filled("a file to be written"),
            metavar="FILE",
            help="Write the answer to FILE, whole or not at all.",
            rich_help_panel=SCRIPTS,
        ),
    ] = None
    events: Annotated[
        bool,
        typer.Option("--events", help="All that happens as lines of JSON, as it happens.", rich_help_panel=SCRIPTS),
    ] = False
    logprobs: Annotated[
        int | None,
        typer.Option(
            "--logprobs",
            parser=whole(0),
            metavar="N",
            help="In JSON, how likely each token was, and the N likeliest at its place.",
            rich_help_panel=SCRIPTS,
        ),
    ] = None
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            parser=filled("a file of prompts, or - for standard input"),
            metavar="FILE",
            help="Answer each line of FILE (- is stdin), a prompt or a JSON object with one; lines of JSON come out. "
            "With -o they are appended, and what is there already is not done again.",
            rich_help_panel=SCRIPTS,
        ),
    ] = None
    each: Annotated[
        list[str] | None,
        typer.Option(
            "--each",
            metavar="FILE…",
            show_default=False,
            help="Ask about each of these files: the prompt, and then what is in the file. -o 'DIR/{stem}.md' has a "
            "file for each answer; {stem}, {name} and {suffix} are those of the file. Answers that are there stay.",
            rich_help_panel=SCRIPTS,
        ),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="With --each, make answers that are there again.", rich_help_panel=SCRIPTS)
    ] = False
    color: Annotated[
        str,
        typer.Option(
            "--color",
            parser=one_of("auto", "always", "never"),
            metavar="auto|always|never",
            show_default=False,
            help="Colours: on terminals unless NO_COLOR is set (the default), everywhere, or nowhere.",
            rich_help_panel=SCRIPTS,
        ),
    ] = "auto"

    @property
    def single(self) -> tuple[tuple[str, bool], ...]:
        """The options that are about one answer, and whether each is given."""
        return ("--events", self.events), ("-x", self.extract), ("-o", self.destination is not None)

    @property
    def wanted(self) -> bool:
        """Whether one answer is to be shown otherwise than to a person."""
        return any(given for _, given in self.single)
