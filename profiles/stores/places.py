"""Where the stores of model files are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .lm_studio import lm_studio_folders


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Folders that may hold models, whether they exist or not."""

    hub: Path | None = None
    llama_cpp: tuple[Path, ...] = ()
    lm_studio: tuple[Path, ...] = ()
    ollama: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()


def places_of(
    variables: Mapping[str, str],
    home: Callable[[], Path],
    hub: Path | None,
    folders: Sequence[Path] = (),
    system: Path = Path("/"),
) -> Places:
    """The places that a person's environment and home folder mean, those of services in `system`, and `folders`.

    `home` raises `RuntimeError` where there is none: then what lies in it is left out.
    """
    try:
        own = home()
    except RuntimeError:
        own = None
    return Places(
        hub=hub,
        llama_cpp=tuple(_llama_cpp(variables, own)),
        lm_studio=tuple(lm_studio_folders(own)) if own else (),
        ollama=tuple(_ollama(variables, own, system)),
        folders=tuple(folders),
    )


def _llama_cpp(variables: Mapping[str, str], home: Path | None) -> Iterator[Path]:
    if named := variables.get("LLAMA_CACHE"):
        yield Path(named)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        if caches := variables.get(name):
            yield Path(caches, "llama.cpp")
    if home:
        yield home / ".cache" / "llama.cpp"
        yield home / "Library" / "Caches" / "llama.cpp"


def _ollama(variables: Mapping[str, str], home: Path | None, system: Path) -> Iterator[Path]:
    if named := variables.get("OLLAMA_MODELS"):
        yield Path(named)
    if home:
        yield home / ".ollama" / "models"
    yield system / "usr" / "share" / "ollama" / ".ollama" / "models"
