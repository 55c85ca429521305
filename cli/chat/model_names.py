"""How the models of a chat were named, by which another run finds them again."""

from dataclasses import dataclass, field

from specchat.profiles.sources import ModelSource

from ..environment import Environment
from ..precedence import Asked, profiles_of
from .draft_wish import DraftWish, draft_wish


@dataclass(frozen=True, slots=True)
class ModelNames:
    """The target as it was named, what was to draft for it, and the profile in use, as `Profiles.named` says it."""

    target: ModelSource | None = None
    draft: DraftWish = field(default_factory=DraftWish)
    profile: str | None = None


def names_in(env: Environment, wanted: Asked) -> ModelNames:
    """The names in what holds for a chat."""
    profile = profiles_of(env).named(wanted.profile) if wanted.profile else None
    return ModelNames(wanted.settings.target, draft_wish(wanted), profile)
