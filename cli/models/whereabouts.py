"""Where the models that commands name can be, and what they are."""

from functools import cache

from specchat.profiles.hub.client import hub_of
from specchat.profiles.names import parse_model
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.seen_model import SeenModel, see
from specchat.profiles.sources import HubModel, ModelSource, NamedModel, spelled

from ..display.status_line import StatusLine
from ..environment import Environment
from .stores import inventory


def whereabouts(env: Environment, *, offline: bool) -> Whereabouts:
    """The stores of this machine and the hub, each looked at when that is needed, and once."""
    from ..precedence import profiles_of

    return Whereabouts(
        stored=cache(lambda: inventory(env)),
        hub=cache(lambda: hub_of(env.variables, env.home, offline=offline)),
        words=profiles_of(env).names(),
    )


def source_of(env: Environment, text: str) -> ModelSource:
    """What `text` names; of a profile, its target."""
    return model_of(env, parse_model(text, mirror=env.mirror))


def model_of(env: Environment, source: ModelSource) -> ModelSource:
    """`source`, or the target of the profile that it names."""
    from ..precedence import profiles_of

    profiles = profiles_of(env)
    if isinstance(source, NamedModel) and source.name in profiles.files():
        return profiles.load(source.name).settings.target or source
    return source


def see_named(env: Environment, text: str, where: Whereabouts) -> SeenModel:
    """What `text` names, of which only the header is read. A terminal shows that it is waited for."""
    source = source_of(env, text)
    line = StatusLine(env, shown=isinstance(source, HubModel))
    line.show(f"reading what {spelled(source)} is")
    try:
        return see(source, where)
    finally:
        line.clear()
