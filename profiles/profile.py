"""A profile: a target, what drafts for it, and how both are set."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from .errors import ProfileError
from .fields import Fields
from .settings import KEYS as SETTINGS
from .settings import Layer, Settings, over, read_settings

FORMAT = 1
"""Of the files that this version writes and reads."""
KEYS = ("description", "extends", *SETTINGS, "licence", "source", "download", "memory", "format")


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a profile says for people; None and empty mean that it does not say."""

    description: str = ""
    licence: str = ""
    source: tuple[str, ...] = ()
    """Where the pair and the names of its files come from."""
    download: float | None = None
    """Of both models, in GB (10⁹ bytes)."""
    memory: int | None = None
    """Of a card, or of a computer without one, on which the pair is at home, in GB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a file says, and after `extended` what those say that it extends."""

    name: str
    file: Path
    extends: str | None = None
    extends_at: str = ""
    """The file and the line of `extends`."""
    about: About = About()
    layer: Layer = field(default_factory=Layer)

    @property
    def settings(self) -> Settings:
        """What it sets."""
        return self.layer.settings


def parse_profile(name: str, values: Fields, file: Path) -> Profile:
    """Check what a file holds. It need not name a target: what it extends may do that.

    Raises `ProfileError` for an unknown key, a value of the wrong kind or a number out of range.
    """
    if not values.values:
        raise ProfileError(f"{values.origin} is empty.", "Write at least target: and a model.")
    values.only(KEYS)
    check_format(values)
    return Profile(
        name=name,
        file=file,
        extends=values.text("extends"),
        extends_at=values.place("extends"),
        about=About(
            description=values.text("description") or "",
            licence=values.text("licence") or "",
            source=values.texts("source") or (),
            download=values.number("download"),
            memory=values.integer("memory", 1),
        ),
        layer=read_settings(values, file.parent, f"profile {name}"),
    )


def check_format(values: Fields) -> None:
    """Raise `ProfileError` for a file of a format that this version does not know."""
    if values.integer("format", 1) not in (None, FORMAT):
        raise values.wrong("format", str(FORMAT), "It is for a newer specchat.")


def extended(profile: Profile, base: Profile) -> Profile:
    """A profile with what it leaves to `base`; what `base` says of its models goes with them."""
    about = About() if profile.settings.target else base.about
    names = (each.name for each in fields(About))
    said = {name: value for name in names if (value := getattr(profile.about, name))}
    return replace(profile, about=replace(about, **said), layer=over(profile.layer, base.layer))
