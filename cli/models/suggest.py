"""What to run where no model is named: a pair that suits this machine, if its user agrees."""

from specchat.profiles.config import keep_default
from specchat.profiles.hub.disk import free_room
from specchat.profiles.hub.settings import cache_folder, is_offline
from specchat.profiles.profile import Profile
from specchat.profiles.settings import Layer
from specchat.profiles.suggestion import suggested
from specchat.speculative.errors import ModelLoadError

from ..display.quantities import file_size
from ..display.screen import agrees, note
from ..environment import Environment
from ..habits import misplaced_model, no_model
from ..memory.devices import room_for_models
from ..options import PromptOptions
from ..precedence import Asked, NamedProfile, asked, named_profile, profiles_of

_MBIT = 100
"""A common line, for a rough idea of the time."""


def with_model(
    env: Environment, flags: Layer, named: NamedProfile | None, prompt: PromptOptions, *, offline: bool
) -> tuple[Asked, str | None]:
    """What holds, with a model; and the profile that names it, if that was suggested and taken just now.

    Raises `UsageError` when none is named and none can be suggested, `ModelLoadError` when there is nobody to ask.
    """
    wanted = asked(env, flags, named)
    if wanted.settings.target is not None:
        return wanted, None
    words, profiles = prompt.words or (), profiles_of(env).names()
    if misplaced := misplaced_model(words, profiles, "run"):
        raise misplaced
    profile = None if offline or is_offline(env.variables) else suggested(room_for_models(env.devices()))
    if profile is None:
        raise no_model(words, profiles)
    if not (env.stdin_is_terminal and env.stderr_is_terminal):
        raise ModelLoadError(
            "No model is named.",
            f"specchat run --profile {profile.name} is one that suits this machine: {_what(profile)}. "
            "A file is named with -m FILE, and --profile demo is a toy.",
        )
    if not _agreed(env, profile):
        raise ModelLoadError("Nothing runs, then.", "Name one with -m, or choose from specchat profile list.")
    return asked(env, flags, named_profile(profile.name)), profile.name


def keep_suggestion(env: Environment, profile: str) -> None:
    """Let `profile`, whose models are here by now, be what runs where no model is named."""
    if env.config_folder:
        note(env, f"{keep_default(env.config_folder, profile)} names it from now on.")


def _what(profile: Profile) -> str:
    return f"{profile.about.description}; {profile.about.download} GB to download"


def _agreed(env: Environment, profile: Profile) -> bool:
    minutes = (profile.about.download or 0) * 8000 / _MBIT / 60
    note(
        env,
        f"No model is named. {profile.name} suits this machine: {_what(profile)}, about {minutes:.0f} minutes at "
        f"{_MBIT} Mbit/s{_room(env)}. specchat profile list has others.",
    )
    return agrees(env, "Download it, and run it whenever no model is named?")


def _room(env: Environment) -> str:
    free = free_room(cache_folder(env.variables, env.home))
    return "" if free is None else f"; {file_size(free)} are free"
