"""What is said to the model: a prompt, or raw text."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..values import filled
from .panels import PROMPT


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptions:
    """What to say to the model."""

    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROMPT", show_default=False, help="The prompt, in quotation marks or not.", rich_help_panel=PROMPT
        ),
    ] = None
    prompt: Annotated[
        str | None, typer.Option("-p", "--prompt", metavar="TEXT", help="The prompt.", rich_help_panel=PROMPT)
    ] = None
    files: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--file",
            metavar="FILE",
            show_default=False,
            help="Put this file before the prompt (repeatable).",
            rich_help_panel=PROMPT,
        ),
    ] = None
    no_stdin: Annotated[
        bool, typer.Option("--no-stdin", help="Leave standard input alone.", rich_help_panel=PROMPT)
    ] = False
    prompt_cache: Annotated[
        str | None,
        typer.Option(
            "--prompt-cache",
            parser=filled("a file, or auto"),
            metavar="FILE|auto",
            help="Keep what the model has read in FILE, and its draft in FILE.draft, or both in a folder (auto), "
            "and begin from there the next time. Chats that are kept do so by themselves where reading takes more than "
            "5 seconds.",
            rich_help_panel=PROMPT,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawOptions:
    """How to continue raw text."""

    suffix: Annotated[
        str | None,
        typer.Option(
            "--suffix",
            metavar="TEXT|@FILE",
            help="Fill in the middle: what comes after the gap.",
            rich_help_panel=PROMPT,
        ),
    ] = None
    special: Annotated[
        bool,
        typer.Option(
            "--special", help="Read control tokens such as <|im_start|> in the prompt.", rich_help_panel=PROMPT
        ),
    ] = False
