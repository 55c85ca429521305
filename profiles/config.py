"""The config file: what holds where no profile, variable or option says otherwise."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from specchat.speculative.files import write_whole

from .errors import ProfileError
from .fields import Fields
from .paths import expanded
from .profile import FORMAT, check_format
from .settings import KEYS as SETTINGS
from .settings import ON_OFF, Layer, read_settings
from .yaml_file import parse_settings, read_settings_file

FILE = "config.yaml"
KEYS = ("profile", *SETTINGS, "model_folders", "gpu_hint", "format")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the file says. `profile` is the one to run where no model is named; `profile_at` is where that is said."""

    layer: Layer = field(default_factory=Layer)
    profile: str | None = None
    profile_at: str = ""
    model_folders: tuple[Path, ...] = ()
    """Where to look for models, beside the stores of other programs."""
    gpu_hint: bool = True
    """Whether to say that there is a GPU that this build of llama.cpp cannot use."""


def load_config(folder: Path | None) -> Config:
    """The config file in the user's `folder`; where there is none, nothing is said.

    Raises `ProfileError` for a file that does not make sense, `UsageError` for an unknown home folder.
    """
    if folder is None or not (folder / FILE).exists():
        return Config()
    return _config(read_settings_file(folder / FILE), folder)


def _config(values: Fields, folder: Path) -> Config:
    values.only(KEYS)
    check_format(values)
    _check_one_model(values)
    return Config(
        layer=read_settings(values, folder, str(folder / FILE)),
        profile=values.text("profile"),
        profile_at=values.place("profile"),
        model_folders=tuple(folder / expanded(text) for text in values.texts("model_folders") or ()),
        gpu_hint=values.word("gpu_hint", ON_OFF) != "off",
    )


def _check_one_model(values: Fields) -> None:
    if "profile" in values.values and "target" in values.values:
        raise ProfileError(
            f"{values.place('target')}: there is a profile, in line {values.lines['profile']}, and a target.",
            "Leave one of the two out.",
        )


def keep_default(folder: Path, profile: str) -> Path:
    """Make `profile` what runs where no model is named; returns the config file, of which all else stays as it is.

    Raises `ProfileError` for a file in which that is not to be done by changing or adding a line, and as `load_config`
    does; `OSError` where it cannot be written.
    """
    file = folder / FILE
    load_config(folder)
    before = file.read_bytes() if file.exists() else f"format: {FORMAT}\n".encode()
    line = f"profile: {profile}".encode()
    after, found = re.subn(rb"^profile[ \t]*:[^\r\n]*", lambda match: line, before, count=1, flags=re.MULTILINE)
    if not found:
        after = before + (b"" if not before or before.endswith(b"\n") else b"\n") + line + b"\n"
    if not _makes_default(after, before, folder, profile):
        hint = f"Write this line into it: {line.decode()}"
        raise ProfileError(f"{file} cannot be changed by a single line.", hint)
    write_whole(file.resolve(), after)  # it may be a link
    return file


def _makes_default(after: bytes, before: bytes, folder: Path, profile: str) -> bool:
    """Whether the text `after` says what `before` does, but for the profile."""
    try:
        new, old = (parse_settings(text, FILE) for text in (after, before))
        _config(new, folder)
    except ProfileError:
        return False
    return new.values == {**old.values, "profile": profile}
