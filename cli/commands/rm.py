"""`specchat rm`: remove models from the hub's cache, after asking."""

from dataclasses import dataclass
from typing import Annotated

import typer

from specchat.profiles.stores.inventory import Inventory
from specchat.profiles.stores.removal import check_removable, remove
from specchat.profiles.stores.stored import StoredModel
from specchat.speculative.errors import UsageError

from ..display.quantities import file_size
from ..display.screen import note, one_line
from ..environment import Environment
from ..models.stores import inventory, unknown_model
from ..options.panels import MODELS
from .asking import agrees_to_remove


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveOptions:
    """What to remove."""

    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", show_default=False, help="A name, as specchat list shows it.", rich_help_panel=MODELS
        ),
    ]
    yes: Annotated[bool, typer.Option("-y", "--yes", help="Do not ask.", rich_help_panel=MODELS)] = False


def rm(env: Environment, options: RemoveOptions) -> None:
    """Remove models from the hub's cache.

    Nothing is removed from the stores of other tools.
    """
    found = inventory(env)
    models = list(dict.fromkeys(_exactly(name, found) for name in options.names))
    for model in models:
        check_removable(model)
    if not options.yes and not _agreed(env, models):
        note(env, "Nothing is removed.")
        return
    for model in models:
        env.stdout.write(f"{one_line(model.name)} is removed: {file_size(remove(model))}\n")


def _exactly(name: str, found: Inventory) -> StoredModel:
    """The model of this very name: what is removed is not guessed from a shorter one."""
    model = found.find(name)
    if model is None:
        raise unknown_model(name, found)
    if name.casefold() != model.name.casefold() and name != str(model.path):
        start = f"{name.casefold()}:"
        names = [each.name for each in found.models if each.name.casefold().startswith(start)] or [model.name]
        raise UsageError(f"{name} may be more than one model.", f"Write its whole name, such as {' or '.join(names)}.")
    return model


def _agreed(env: Environment, models: list[StoredModel]) -> bool:
    noun = "it" if len(models) == 1 else f"all {len(models)}"
    things = [f"{model.name}  {file_size(model.size)}" for model in models]
    return agrees_to_remove(env, things, f"Remove {noun} from the hub's cache, which other tools share?")
