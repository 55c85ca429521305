"""A profile that a person starts from."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from specchat.speculative.files import write_whole

from .errors import ProfileError
from .names import parse_model
from .profile import FORMAT, parse_profile
from .settings import DraftChoice, parse_draft
from .sources import LocalFile
from .store import ENDINGS, Profiles
from .yaml_file import parse_settings

_NAME = re.compile(r"\w[\w.-]*")
_PLAIN = re.compile(r"[A-Za-z~/][\w./~-]*(:[\w.-]+)?")
_LATER = """\
# What else it may say, each without its #:
# description: for people
# context: 16384
# system: Be brief.
# stop: [END]
# sampling:
#   temperature: 0.7
"""


def new_profile(
    profiles: Profiles, name: str, base: str | None, target: str | None, draft: str | None, system: str | None = None
) -> Path:
    """Write a profile called `name` into the user's folder, the first of `profiles`; returns its file.

    Models are named as on a command line: paths start at the current folder. Raises `ProfileError` where there is such
    a profile or it would make no sense, `OSError` where it cannot be written.
    """
    file = profiles.folders[0] / f"{name}{ENDINGS[0]}"
    _check_name(name, file.parent)
    if base is None and target is None:
        hint = "Name it with -m MODEL, or a profile that has one with --extends NAME."
        raise ProfileError("A profile needs a model.", hint)
    values = {
        "extends": base and _base(profiles, base),
        "target": target and _from_anywhere(target, parse_model),
        "draft": draft and _from_anywhere(draft, parse_draft),
    }
    said = [f"{key}: {_quoted(value)}" for key, value in values.items() if value]
    if system:
        said.append(f"system: {_escaped(system)}")
    content = "".join(f"{line}\n" for line in [f"format: {FORMAT}", *said]) + _LATER
    parse_profile(name, parse_settings(content.encode(), str(file)), file)
    write_whole(file, content.encode())
    return file


def _check_name(name: str, folder: Path) -> None:
    if name.endswith(ENDINGS) or not _NAME.fullmatch(name):
        raise ProfileError(f"{name} is no name for a profile.", "Write letters, digits, dots, - and _, without .yaml.")
    for ending in ENDINGS:
        if (there := folder / f"{name}{ending}").exists():
            raise ProfileError(f"There is a profile {name}: {there}.", "Edit it, or choose another name.")


def _base(profiles: Profiles, name: str) -> str:
    """The profile to extend, as a file in another folder names it."""
    profiles.load(name)
    return str(Path(name).absolute()) if name.endswith(ENDINGS) else name


def _from_anywhere(text: str, parse: Callable[[str], DraftChoice]) -> str:
    """A model as the profile has to name it, wherever its file lies."""
    source = parse(text)
    return str(source.path.absolute()) if isinstance(source, LocalFile) else text


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _escaped(text: str) -> str:
    """Any text between quotation marks; `yes` or `1` alone would be no text for YAML."""
    plain = {"\n": "\\n", '"': '\\"', "\\": "\\\\"}
    letters = (plain.get(each, each if each.isprintable() else f"\\U{ord(each):08x}") for each in text)
    return f'"{"".join(letters)}"'
