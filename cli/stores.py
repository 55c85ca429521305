"""The models that are on this machine, for the commands that name or list them."""

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from specchat.profiles.hub.settings import cache_folder
from specchat.profiles.stores.inventory import Inventory, stored_models
from specchat.profiles.stores.places import places_of
from specchat.profiles.stores.stored import StoredModel
from specchat.speculative.errors import ModelLoadError, UsageError

from .environment import Environment
from .screen import warn

NO_MODELS = ("ngram", "none", "auto")
"""What --draft takes beside models."""


def inventory(env: Environment, folders: Sequence[Path] | None = None) -> Inventory:
    """What all stores have, and `folders`: without them, those that the config file names."""
    from specchat.profiles.config import load_config  # brings yaml

    from .precedence import profiles_of

    folders = load_config(env.config_folder).model_folders if folders is None else tuple(folders)
    places = places_of(env.variables, env.home, _hub(env), folders, env.system)
    return stored_models(places, reserved=(*NO_MODELS, *profiles_of(env).names()))


def _hub(env: Environment) -> Path | None:
    try:
        return cache_folder(env.variables, env.home)
    except UsageError:  # nobody is at home, and there may be other stores
        return None


def tell_notices(env: Environment, found: Inventory) -> None:
    """Say what is in the stores and cannot be used."""
    for notice in found.notices:
        warn(env, f"{notice.message} {notice.hint}".rstrip())


def unknown(name: str, found: Inventory) -> ModelLoadError:
    """What to say about a name that no model here has."""
    close = get_close_matches(name, [model.name for model in found.models], n=1, cutoff=0.5)
    guess = f"Did you mean {close[0]}? " if close else ""
    return ModelLoadError(f"There is no model called {name} on this machine.", f"{guess}specchat list shows all names.")


def named(found: Inventory, names: Sequence[str]) -> list[StoredModel]:
    """The models of these names. Raises `ModelLoadError`."""
    models = [(name, found.find(name)) for name in names]
    for name, model in models:
        if model is None:
            raise unknown(name, found)
    return [model for _, model in models if model is not None]
