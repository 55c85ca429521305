"""Finding profiles: those that come with specchat by name, any other by its file."""

from pathlib import Path

import yaml

from .errors import ProfileError, choose_from
from .paths import expanded
from .profile import Profile, parse_profile

SHIPPED = Path(__file__).parent


def profile_names(folder: Path = SHIPPED) -> list[str]:
    """The names of the profiles in `folder`, sorted."""
    return sorted(file.stem for file in folder.glob("*.yaml"))


def load_profile(name: str, folder: Path = SHIPPED) -> Profile:
    """Read and check the profile called `name` in `folder`, or the file `name` if that ends in .yaml or .yml.

    Raises `ProfileError` when there is none, or when what it says does not make sense,
    `UsageError` for an unknown home folder.
    """
    if name.endswith((".yaml", ".yml")):
        return _load(expanded(name))
    known = profile_names(folder)
    if name not in known:
        raise ProfileError(f"There is no profile called {name}.", choose_from(name, known))
    return _load(folder / f"{name}.yaml")


def _load(file: Path) -> Profile:
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ProfileError(f"The profile {file} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ProfileError(f"{file}{_line(error)}: this is not YAML.", _problem(error)) from error
    return parse_profile(file.stem, content, str(file), file.parent)


def _line(error: Exception) -> str:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return f", line {mark.line + 1}" if mark else ""


def _problem(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem:
        return f"The parser says: {error.problem}."
    return "It has to be text in UTF-8 without control characters."
