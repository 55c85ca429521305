"""The names that are on this machine. Whatever is wrong with their places, that is told by others."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from specchat.speculative.errors import SpecchatError

from ..environment import Environment
from .offer import Word

if TYPE_CHECKING:
    from specchat.profiles.stores.stored import StoredModel


def model_names(env: Environment) -> tuple[Word, ...]:
    """The models that `specchat list` shows, and where they are."""
    return tuple(Word(model.name, model.store) for model in _models(env))


def removable_models(env: Environment) -> tuple[Word, ...]:
    """The models that `specchat rm` takes: those of the hub's cache."""
    from specchat.profiles.stores.stored import HUB

    return tuple(Word(model.name, model.store) for model in _models(env) if model.store == HUB)


def profile_names(env: Environment) -> tuple[Word, ...]:
    """The profiles of the user, and those that come along."""
    from ..precedence import profiles_of

    return tuple(Word(name) for name in profiles_of(env).names())


def session_names(env: Environment) -> tuple[Word, ...]:
    """The sessions, the latest one first."""
    from ..sessions.store import sessions_of

    with suppress(SpecchatError, OSError):
        return tuple(Word(name) for name in sessions_of(env).names())
    return ()


def _models(env: Environment) -> Sequence["StoredModel"]:
    from specchat.profiles.config import load_config

    from ..models.stores import inventory

    folders: tuple[Path, ...] = ()
    with suppress(SpecchatError, OSError):  # the stores can be looked at without what the config file names
        folders = load_config(env.config_folder).model_folders
    with suppress(SpecchatError, OSError):
        return inventory(env, folders).models
    return ()
