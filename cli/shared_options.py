"""Arguments and options that several commands take alike."""

from typing import Annotated, TypeAlias

import typer

from .options.models import DRAFT_NAMES, model_value
from .options.panels import MODELS, OUTPUT
from .values import filled

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
DraftOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        *DRAFT_NAMES,
        parser=filled("a smaller model", but=("auto", "ngram", "none")),
        metavar="MODEL",
        help="A smaller model that is to draft for it; whether it fits is found out.",
        rich_help_panel=MODELS,
    ),
]
OfflineOption: TypeAlias = Annotated[
    bool, typer.Option("--offline", help="Ask nothing of the hub.", rich_help_panel=MODELS)
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object.", rich_help_panel=OUTPUT)]
