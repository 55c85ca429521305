"""The names that are on this machine. Whatever is wrong with their places, that is told by others."""

from collections.abc import Iterator
from contextlib import suppress

from specchat.speculative.errors import SpecchatError

from ..environment import Environment
from .offer import Word


def model_names(env: Environment) -> tuple[Word, ...]:
    """The models that `specchat list` shows, and where they are."""
    return tuple(_models(env, removable=False))


def removable_models(env: Environment) -> tuple[Word, ...]:
    """The models that `specchat rm` takes."""
    return tuple(_models(env, removable=True))


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


def _models(env: Environment, *, removable: bool) -> Iterator[Word]:
    from specchat.profiles.config import load_config
    from specchat.profiles.stores.stored import HUB

    from ..stores import inventory

    try:
        folders = load_config(env.config_folder).model_folders
    except SpecchatError:  # the stores can be looked at all the same
        folders = ()
    for model in inventory(env, folders).models:
        if not removable or model.store == HUB:
            yield Word(model.name, model.store)
