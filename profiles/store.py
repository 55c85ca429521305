"""Finding profiles: those of the user, those that come with specchat, any other by its file."""

from dataclasses import dataclass
from pathlib import Path

from .errors import ProfileError, choose_from
from .paths import expanded
from .profile import Profile, extended, parse_profile
from .yaml_file import read_settings_file

SHIPPED = Path(__file__).parent / "shipped"
ENDINGS = (".yaml", ".yml")
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles in `folders`; of two with one name, that of the first folder counts."""

    folders: tuple[Path, ...] = (SHIPPED,)

    def files(self) -> dict[str, Path]:
        """The files that count, by the names of their profiles, sorted."""
        found: dict[str, Path] = {}
        for folder in reversed(self.folders):
            found |= {file.stem: file for file in _files(folder)}
        return dict(sorted(found.items()))

    def names(self) -> list[str]:
        """The names, sorted."""
        return list(self.files())

    def file(self, name: str) -> Path:
        """The file of the profile called `name`, or `name` itself if that ends in .yaml or .yml.

        Raises `ProfileError` when there is no such profile, `UsageError` for an unknown home folder.
        """
        if name.endswith(ENDINGS):
            return expanded(name)
        files = self.files()
        if name not in files:
            hint = f"{choose_from(name, list(files))} A file of your own is named with its ending, .yaml or .yml."
            raise ProfileError(f"There is no profile called {name}.", hint)
        return files[name]

    def named(self, profile: Profile) -> str:
        """What `file` takes for a profile, in any folder."""
        known = self.files().get(profile.name) == profile.file
        return profile.name if known else str(profile.file.absolute())

    def load(self, name: str) -> Profile:
        """Read and check a profile, and those that it extends, which together name a target.

        Raises `ProfileError` when there is none, or when what it says does not make sense, `UsageError` for an unknown
        home folder.
        """
        profile = self._load(self.file(name), ())
        if profile.settings.target is None:
            raise ProfileError(f"{profile.file}: no target is named.", "Write target: and a GGUF file, or extends:.")
        return profile

    def _load(self, file: Path, below: tuple[Path, ...]) -> Profile:
        profile = parse_profile(file.stem, read_settings_file(file), file)
        if profile.extends is None:
            return profile
        way = (*below, file)
        base = self._base(profile)
        if base in way:
            names = " → ".join(each.stem for each in (*way, base))
            raise ProfileError(f"{profile.extends_at}: extends leads in a circle: {names}.", "Leave one of them out.")
        if len(way) > _DEEPEST:
            message = f"{profile.extends_at}: more than {_DEEPEST} profiles extend each other."
            raise ProfileError(message, "Extend one that says more itself.")
        return extended(profile, self._load(base, way))

    def _base(self, profile: Profile) -> Path:
        """The file that a profile extends. With its own name it means the one that it stands in front of."""
        name = profile.extends or ""
        if name.endswith(ENDINGS):
            return profile.file.parent / expanded(name)
        others = Profiles(tuple(folder for folder in self.folders if folder != profile.file.parent))
        if name == profile.name and name in others.files():
            return others.files()[name]
        try:
            return self.file(name)
        except ProfileError as error:
            raise ProfileError(f"{profile.extends_at}: {error.message}", error.hint) from error


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if _is_profile(file))
    except OSError:  # most people have no folder of their own
        return []


def _is_profile(file: Path) -> bool:
    """Whether a file in a folder of profiles is one; a link that leads nowhere was meant to be."""
    named = file.suffix in ENDINGS and not file.name.startswith(".")
    return named and (file.is_file() or file.is_symlink())
