"""Which models a run takes."""

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import typer

from ..habits import draft_value
from ..values import filled
from .panels import MODELS

MODEL_NAMES = ("-m", "--model")
DRAFT_NAMES = ("-md", "--draft", "--model-draft")
model_value = filled("a .gguf file, USER/REPO:QUANT or a name that specchat list shows")
"""The value of an option or argument that names what answers."""
ModelArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        parser=model_value,
        metavar="MODEL",
        show_default=False,
        help="A GGUF file, USER/REPO[:QUANT] of the hub, a profile, or a name that specchat list shows.",
        rich_help_panel=MODELS,
    ),
]
FittingDraftOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        *DRAFT_NAMES,
        parser=filled("a smaller model", but=("auto", "ngram", "none")),
        metavar="MODEL",
        help="A smaller model that is to draft for it; whether it fits is found out.",
        rich_help_panel=MODELS,
    ),
]
ShownDraftOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        *DRAFT_NAMES,
        parser=draft_value,
        metavar="MODEL|auto|ngram|none",
        help="What is to guess for it, as in a run; whether a smaller model fits is found out.",
        rich_help_panel=MODELS,
    ),
]
OfflineOption: TypeAlias = Annotated[
    bool, typer.Option("--offline", help="Ask nothing of the hub.", rich_help_panel=MODELS)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which models."""

    model: Annotated[
        str | None,
        typer.Option(
            *MODEL_NAMES,
            parser=model_value,
            metavar="MODEL",
            help="What answers: a GGUF file, USER/REPO[:QUANT] of the hub, a profile, a name that specchat list shows.",
            rich_help_panel=MODELS,
        ),
    ] = None
    draft: Annotated[
        str | None,
        typer.Option(
            *DRAFT_NAMES,
            parser=draft_value,
            metavar="MODEL|auto|ngram|none",
            help="What guesses ahead: a small model, the n-grams of the text or nothing. auto, the default, takes "
            "the best model on this machine that fits, or else n-grams.",
            rich_help_panel=MODELS,
        ),
    ] = None
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            parser=filled("the name of a profile, or a YAML file"),
            metavar="NAME|FILE",
            help="A pair with its settings, as specchat profile list shows them, or a YAML file of your own.",
            rich_help_panel=MODELS,
        ),
    ] = None
    offline: OfflineOption = False
    show_config: Annotated[
        bool,
        typer.Option(
            "--show-config",
            help="Show what is set, and where each of it was said, and do nothing else.",
            rich_help_panel=MODELS,
        ),
    ] = False
