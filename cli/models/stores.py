"""The models that are on this machine, for the commands that name or list them."""

from collections.abc import Sequence
from pathlib import Path

from specchat.profiles.errors import nearest
from specchat.profiles.hub.settings import cache_folder
from specchat.profiles.stores.inventory import Inventory, stored_models
from specchat.profiles.stores.places import places_of
from specchat.profiles.stores.stored import StoredModel
from specchat.speculative.errors import ModelLoadError, UsageError

from ..display.screen import warn
from ..environment import Environment

NO_MODELS = ("ngram", "none", "auto")
"""What --draft takes beside models."""


def inventory(env: Environment, folders: Sequence[Path] | None = None) -> Inventory:
    """What all stores have, and `folders`: without them, those that the config file names."""
    from specchat.profiles.config import load_config  # brings yaml

    from ..precedence import profiles_of

    folders = load_config(env.config_folder).model_folders if folders is None else tuple(folders)
    places = places_of(env.variables, env.home, _hub(env), folders, env.system)
    return stored_models(places, reserved=(*NO_MODELS, *profiles_of(env).names()))


def _hub(env: Environment) -> Path | None:
    try:
        return cache_folder(env.variables, env.home)
    except UsageError:  # nobody is at home, and there may be other stores
        return None


def tell_of_stores(env: Environment, found: Inventory) -> None:
    """Say what is in the stores and cannot be used."""
    for notice in found.notices:
        warn(env, f"{notice.message} {notice.hint}".rstrip())


def unknown_model(name: str, found: Inventory) -> ModelLoadError:
    """What to say about a name that no model here has."""
    hint = f"{nearest(name, [model.name for model in found.models])} specchat list shows all names.".lstrip()
    return ModelLoadError(f"There is no model called {name} on this machine.", hint)


def named(found: Inventory, names: Sequence[str]) -> list[StoredModel]:
    """The models of these names. Raises `ModelLoadError`."""
    models = [(name, found.find(name)) for name in names]
    for name, model in models:
        if model is None:
            raise unknown_model(name, found)
    return [model for _, model in models if model is not None]
