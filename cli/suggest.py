"""What to run where no model is named."""

from specchat.profiles.settings import Layer

from .environment import Environment
from .options import ModelOptions, PromptOptions
from .precedence import Asked, asked
from .request import check_model


def with_model(env: Environment, flags: Layer, models: ModelOptions, prompt: PromptOptions) -> Asked:
    """What holds, with a model."""
    wanted = asked(env, flags, models.profile)
    check_model(env, wanted, prompt, "run")
    return wanted
