"""Which settings hold: options before variables, before the profile, before the config file.

The model's own file and llama.cpp's defaults come last, and are the engine's business.
"""

from dataclasses import dataclass, replace

from specchat.profiles.config import load_config
from specchat.profiles.errors import ProfileError
from specchat.profiles.profile import Profile
from specchat.profiles.settings import Layer, Settings, merged, without
from specchat.profiles.sources import NamedModel
from specchat.profiles.store import SHIPPED, Profiles
from specchat.profiles.variables import PROFILE, variable, variable_settings
from specchat.speculative.errors import UsageError

from .environment import Environment
from .flags import IN_CHATS, SPELLED

PROFILE_FOLDER = "profiles"


@dataclass(frozen=True, slots=True)
class NamedProfile:
    """The name of a profile, or its file, and where that was said."""

    name: str
    at: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What holds, and where each of it was said; `profile` is that in use, named at `profile_at`."""

    layer: Layer
    profile: Profile | None = None
    profile_at: str = ""

    @property
    def settings(self) -> Settings:
        """What holds."""
        return self.layer.settings

    @property
    def without_draft_model(self) -> "Asked":
        """The same with n-grams, which need no file."""
        return replace(self, layer=Layer(replace(self.settings, draft="ngram"), self.layer.origins))

    @property
    def draft_named(self) -> bool:
        """Whether an option, a command or a variable names what drafts, for this run and no other."""
        return self.layer.origins.get("draft") in (SPELLED["draft"], IN_CHATS["draft"], variable("draft"))

    def named_at(self, model: str) -> str:
        """Where the "target" or the "draft" is named, to begin a sentence with; nothing where somebody typed it."""
        origin = self.layer.origins.get(model, "")
        if self.profile and origin == self.profile.layer.origins.get(model):
            return f"The profile {self.profile.name} ({self.profile_at})"
        return "" if _is_typed(origin) else origin[:1].upper() + origin[1:]

    @property
    def draft_suggested(self) -> bool:
        """Whether a profile that comes along names what drafts, which knows nothing of this machine."""
        if self.profile is None or self.profile.file.parent != SHIPPED or self.draft_named:
            return False
        return self.settings.draft == self.profile.settings.draft


@dataclass(frozen=True, slots=True)
class _Rank:
    """What one of options, variables and the config file says."""

    profile: NamedProfile | None
    layer: Layer

    @property
    def names_something(self) -> bool:
        return self.profile is not None or self.layer.settings.target is not None


def profiles_of(env: Environment) -> Profiles:
    """The profiles that can be named here: the user's, then those that come along."""
    folder = env.config_folder
    return Profiles((folder / PROFILE_FOLDER, SHIPPED) if folder else (SHIPPED,))


def named_profile(name: str | None, at: str = "--profile") -> NamedProfile | None:
    """The profile that an option names, or whoever does it `at` another place, if one is named."""
    return None if name is None else NamedProfile(name, at)


def asked(env: Environment, options: Layer, profile: NamedProfile | None) -> Asked:
    """What holds for these options, and the `profile` that goes with them.

    Of options, variables and the config file, the first that names a model or a profile decides what runs, and a
    profile named after it is none of this run's business. Raises `ProfileError`, `UsageError`.
    """
    profiles, config = profiles_of(env), load_config(env.config_folder)
    ranks = [
        _rank(profile, options, profiles),
        _rank(named_profile(env.variables.get(PROFILE) or None, PROFILE), variable_settings(env.variables), profiles),
        _rank(named_profile(config.profile, config.profile_at), config.layer, profiles),
    ]
    first = next((rank for rank in ranks if rank.names_something), None)
    if first is None or first.profile is None:
        return Asked(merged([rank.layer for rank in ranks]))
    in_use = _load(profiles, first.profile)
    option, environment, file = (rank.layer for rank in ranks)
    if first is ranks[0] and environment.settings.target:
        environment = without(environment, ("target", "draft"))
    return Asked(merged([option, environment, in_use.layer, file]), in_use, first.profile.at)


def _rank(profile: NamedProfile | None, layer: Layer, profiles: Profiles) -> _Rank:
    """A target with the name of a profile is that profile."""
    target = layer.settings.target
    if not isinstance(target, NamedModel) or target.name not in profiles.files():
        return _Rank(profile, layer)
    named = NamedProfile(target.name, layer.origins["target"])
    if profile is not None:
        both = " and ".join(f"{each.name} ({each.at})" for each in (profile, named))
        raise UsageError(f"There are two profiles: {both}.", "Leave one of them out.")
    return _Rank(named, without(layer, ("target",)))


def _is_typed(origin: str) -> bool:
    """Whether it is an option or a command of a chat, which whoever typed it knows."""
    return origin.startswith("-") or origin in IN_CHATS.values()


def _load(profiles: Profiles, named: NamedProfile) -> Profile:
    try:
        profiles.file(named.name)
    except ProfileError as error:
        said = "" if _is_typed(named.at) else f"{named.at}: "
        raise ProfileError(f"{said}{error.message}", error.hint) from error
    return profiles.load(named.name)
