"""The options of `specchat profile`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from ..options.models import DRAFT_NAMES, MODEL_NAMES
from ..options.output import JsonOption
from ..options.panels import MODELS
from ..values import filled

PROFILE = "Profile"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """How to list."""

    json: JsonOption = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowOptions:
    """What to show."""

    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="A profile, or a YAML file.",
            rich_help_panel=PROFILE,
        ),
    ]
    json: JsonOption = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOptions:
    """What to write."""

    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="What to call it.",
            rich_help_panel=PROFILE,
        ),
    ]
    extends: Annotated[
        str | None,
        typer.Option(
            "--extends",
            parser=filled("the name of a profile, or a YAML file"),
            metavar="NAME|FILE",
            help="Take from this profile what is not said.",
            rich_help_panel=MODELS,
        ),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(
            *MODEL_NAMES,
            parser=filled("a model"),
            metavar="MODEL",
            help="The model that answers.",
            rich_help_panel=MODELS,
        ),
    ] = None
    draft: Annotated[
        str | None,
        typer.Option(
            *DRAFT_NAMES,
            parser=filled("a model, auto, ngram or none"),
            metavar="MODEL|auto|ngram|none",
            help="What guesses ahead.",
            rich_help_panel=MODELS,
        ),
    ] = None
    system: Annotated[
        str | None,
        typer.Option(
            "-sys",
            "--system",
            "--system-prompt",
            metavar="TEXT|@FILE",
            help="The system prompt.",
            rich_help_panel=MODELS,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathOptions:
    """Whose path."""

    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", show_default=False, help="A profile; without one, their folder.", rich_help_panel=PROFILE
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """What to check."""

    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="Profiles, or YAML files; without one, all of them.",
            rich_help_panel=PROFILE,
        ),
    ] = None
