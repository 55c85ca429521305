"""Finding profiles: those that come with specchat by name, any other by its file."""

from pathlib import Path

import yaml

from .errors import ProfileError, choose_from
from .paths import expanded
from .profile import Profile, parse_profile

SHIPPED = Path(__file__).parent
_MOST_BYTES = 1 << 20
"""More than anybody writes."""


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
        hint = f"{choose_from(name, known)} A file of your own is named with its ending, .yaml or .yml."
        raise ProfileError(f"There is no profile called {name}.", hint)
    return _load(folder / f"{name}.yaml")


class _Loader(yaml.SafeLoader):
    """YAML without aliases: a few lines of them can stand for more than any memory holds."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
            raise yaml.MarkedYAMLError(problem="a profile has no aliases (*)", problem_mark=mark)
        return super().compose_node(parent, index)


def _load(file: Path) -> Profile:
    data = _read(file)
    try:
        content = yaml.load(data.decode(), _Loader)
    except Exception as error:  # the parser lets out whatever a date, a number or a depth makes Python raise
        raise ProfileError(f"{file}{_line(error)}: this is not YAML.", _problem(error)) from error
    return parse_profile(file.stem, content, str(file), file.parent)


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ProfileError(f"The profile {file} cannot be read: {error.strerror}.") from error
    if len(data) > _MOST_BYTES:
        raise ProfileError(f"{file} is longer than {_MOST_BYTES >> 20} MiB, which no profile is.", "Check the path.")
    return data


def _line(error: Exception) -> str:
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    return f", line {mark.line + 1}" if mark else ""


def _problem(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem:
        return f"The parser says: {error.problem}."
    if isinstance(error, (yaml.YAMLError, UnicodeDecodeError)):
        return "It has to be text in UTF-8 without control characters."
    return f"A value in it cannot be read: {error}. What is a text can stand in quotation marks."
