"""The config file: what holds where no profile, variable or option says otherwise."""

from dataclasses import dataclass, field
from pathlib import Path

from specchat.speculative.files import write_whole

from .errors import ProfileError
from .fields import Fields
from .paths import expanded
from .profile import FORMAT, check_format
from .settings import KEYS as SETTINGS
from .settings import Layer, read_settings
from .yaml_file import read_settings_file

FILE = "config.yaml"
KEYS = ("profile", *SETTINGS, "model_folders", "format")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the file says. `profile` is the one to run where no model is named; `profile_at` is where that is said."""

    layer: Layer = field(default_factory=Layer)
    profile: str | None = None
    profile_at: str = ""
    model_folders: tuple[Path, ...] = ()
    """Where to look for models, beside the stores of other programs."""


def load_config(folder: Path | None) -> Config:
    """The config file in the user's `folder`; where there is none, nothing is said.

    Raises `ProfileError` for a file that does not make sense, `UsageError` for an unknown home folder.
    """
    if folder is None or not (folder / FILE).exists():
        return Config()
    values = read_settings_file(folder / FILE)
    values.only(KEYS)
    check_format(values)
    _check_one_model(values)
    return Config(
        layer=read_settings(values, folder, str(folder / FILE)),
        profile=values.text("profile"),
        profile_at=values.place("profile"),
        model_folders=tuple(folder / expanded(text) for text in values.texts("model_folders") or ()),
    )


def _check_one_model(values: Fields) -> None:
    if "profile" in values.values and "target" in values.values:
        raise ProfileError(
            f"{values.place('target')}: there is a profile, in line {values.lines['profile']}, and a target.",
            "Leave one of the two out.",
        )


def keep_default(folder: Path, profile: str) -> Path:
    """Make `profile` what runs where no model is named; returns the config file, of which all else stays as it is.

    Raises `OSError` where it cannot be written, and as `load_config` does.
    """
    file = folder / FILE
    config = load_config(folder)
    line = f"profile: {profile}"
    if not file.exists():
        lines = [f"format: {FORMAT}", line]
    else:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
        if config.profile is None:
            lines.append(line)
        else:
            number = int(config.profile_at.rpartition(" ")[2])
            lines[number - 1] = line
    write_whole(file, "".join(f"{each}\n" for each in lines).encode())
    return file
