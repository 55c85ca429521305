"""How to talk to the model."""

from dataclasses import dataclass
from typing import Annotated

import typer

from specchat.profiles.settings import THINK

from ..values import filled, one_of
from .panels import ANSWER, OUTPUT, PROMPT


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How to talk to the model."""

    system: Annotated[
        str | None,
        typer.Option(
            "-sys",
            "--system",
            "--system-prompt",
            metavar="TEXT|@FILE",
            help="The system prompt.",
            rich_help_panel=PROMPT,
        ),
    ] = None
    interactive: Annotated[
        bool,
        typer.Option("-i", "--interactive", help="Go on with a chat after the first answer.", rich_help_panel=PROMPT),
    ] = False
    resume: Annotated[
        bool,
        typer.Option(
            "-C",
            "--continue",
            help="Go on with the latest session, its model and its profile.",
            rich_help_panel=PROMPT,
        ),
    ] = False
    session: Annotated[
        str | None,
        typer.Option(
            "--session",
            parser=filled("the name of a session, as specchat session list shows it, or a new one"),
            metavar="NAME",
            help="Go on with this session, or begin it.",
            rich_help_panel=PROMPT,
        ),
    ] = None
    no_save: Annotated[bool, typer.Option("--no-save", help="Keep nothing of this chat.", rich_help_panel=PROMPT)] = (
        False
    )
    overflow: Annotated[
        str,
        typer.Option(
            "--overflow",
            parser=one_of("refuse", "drop-oldest"),
            metavar="refuse|drop-oldest",
            help="What a chat does when its context is full: refuse the message, or forget the oldest turns.",
            rich_help_panel=PROMPT,
        ),
    ] = "refuse"
    think: Annotated[
        str | None,
        typer.Option(
            "--think",
            parser=one_of(*THINK),
            metavar="on|off|hide",
            help="Whether the model reasons before it answers, and whether that is shown; usually as its template has "
            "it, and dimmed. Reasoning is never written into pipes and files.",
            rich_help_panel=ANSWER,
        ),
    ] = None
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Answer twice, plain and drafted: both times, and whether the text is the same.",
            rich_help_panel=OUTPUT,
        ),
    ] = False
    chat_template: Annotated[
        str | None,
        typer.Option(
            "--chat-template",
            metavar="FILE",
            help="Use this Jinja template, not the model's own.",
            rich_help_panel=PROMPT,
        ),
    ] = None
