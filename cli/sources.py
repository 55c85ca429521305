"""What a person types for a model, where that may be a profile."""

from specchat.profiles.names import parse_model
from specchat.profiles.sources import ModelSource, NamedModel

from .environment import Environment


def named_source(env: Environment, text: str) -> ModelSource:
    """What `text` names; of a profile, its target."""
    from .precedence import profiles_of

    source = parse_model(text, mirror=env.variables.get("HF_ENDPOINT", ""))
    profiles = profiles_of(env)
    if isinstance(source, NamedModel) and source.name in profiles.files():
        return profiles.load(source.name).settings.target or source
    return source
