"""`specchat profile`: what profiles there are, what they say, and a start for one's own."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from specchat.profiles.errors import ProfileError
from specchat.profiles.sources import LocalFile
from specchat.speculative.errors import SpecchatError

from ..display.json_text import written
from ..display.screen import report
from ..environment import Environment
from ..gather import gathered
from ..help_format import GroupedCommand
from ..input import text_or_file
from .profile_options import CheckOptions, ListOptions, NewOptions, PathOptions, ShowOptions

if TYPE_CHECKING:
    from specchat.profiles.profile import Profile
    from specchat.profiles.store import Profiles


def profile_commands() -> typer.Typer:
    """The commands below `specchat profile`."""
    app = typer.Typer(rich_markup_mode=None, help="List, show, make and check profiles: pairs with their settings.")
    for name, command in (("list", list_), ("show", show), ("new", new), ("path", path), ("check", check)):
        app.command(name, cls=GroupedCommand)(gathered(command))
    return app


def list_(env: Environment, options: ListOptions) -> None:
    """List the profiles, with what they take to download and to run."""
    from .profile_table import listed, overview, overview_json

    rows = listed(_profiles(env))
    env.stdout.write(written(overview_json(rows)) + "\n" if options.json else overview(rows, env.room))


def show(env: Environment, options: ShowOptions) -> None:
    """Show what a profile says, that of profiles that it extends included."""
    from .profile_table import shown, shown_json

    profile = _profiles(env).load(options.name)
    env.stdout.write(written(shown_json(profile)) + "\n" if options.json else shown(profile, env.room))


def new(env: Environment, options: NewOptions) -> None:
    """Write a profile of your own, to be edited; prints its path."""
    from specchat.profiles.new import new_profile

    _folder(env)
    system = text_or_file(env, options.system) if options.system is not None else None
    file = new_profile(_profiles(env), options.name, options.extends, options.model, options.draft, system)
    env.stdout.write(f"{file}\n")


def path(env: Environment, options: PathOptions) -> None:
    """Print the path of a profile, or of the folder for your own."""
    found = _folder(env) if options.name is None else _profiles(env).file(options.name)
    env.stdout.write(f"{found}\n")


def check(env: Environment, options: CheckOptions) -> None:
    """Check profiles: that they can be read, and that the files on this machine that they name are there."""
    profiles = _profiles(env)
    names = options.names or profiles.names()
    failures = [failure for name in names if (failure := _checked(env, profiles, name))]
    for failure in failures[:-1]:
        report(env, failure.message, failure.hint)
    if failures:
        raise failures[-1]


def _checked(env: Environment, profiles: "Profiles", name: str) -> SpecchatError | None:
    """Say that a profile is fine, or return what it is not."""
    try:
        _check(profiles.load(name))
    except SpecchatError as error:
        return error
    env.stdout.write(f"{name}: fine\n")
    return None


def _check(profile: "Profile") -> None:
    for key in ("target", "draft"):
        source = getattr(profile.settings, key)
        if isinstance(source, LocalFile) and not source.path.is_file():
            message = f"{profile.layer.origins[key]}: there is no file {source.path}."
            raise ProfileError(message, "A path starts at the folder of its profile.")


def _folder(env: Environment) -> Path:
    from specchat.profiles.store import SHIPPED

    folder = _profiles(env).folders[0]
    if folder == SHIPPED:
        raise ProfileError("There is no home folder to keep profiles in.", "Name one in XDG_CONFIG_HOME.")
    return folder


def _profiles(env: Environment) -> "Profiles":
    from ..precedence import profiles_of  # brings yaml

    return profiles_of(env)
