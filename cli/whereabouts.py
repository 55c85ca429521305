"""Where the models that commands name can be."""

from functools import cache

from specchat.profiles.hub.client import hub_of
from specchat.profiles.resolve import Whereabouts

from .environment import Environment
from .stores import inventory


def whereabouts(env: Environment, *, offline: bool) -> Whereabouts:
    """The stores of this machine and the hub, each looked at when that is needed, and once."""
    from .precedence import profiles_of

    return Whereabouts(
        stored=cache(lambda: inventory(env)),
        hub=cache(lambda: hub_of(env.variables, env.home, offline=offline)),
        words=profiles_of(env).names(),
    )
