"""From a model that somebody named to a file on this machine: what is on the disk first, else what the hub has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from specchat.speculative.errors import ModelLoadError

from .embedded import embedded_file
from .errors import ProfileError, nearest
from .hub.choice import choose, is_unnamed
from .hub.client import Hub
from .hub.files import RemoteFile
from .hub.gguf_repos import gguf_repos
from .hub.layout import Place, cached_file
from .names import is_gguf
from .paths import exists
from .shards import all_parts, first_shard
from .sources import MAIN, HubModel, LocalFile, ModelSource, NamedModel, WheelFile, spelled
from .stores.description import check_loadable
from .stores.stored import StoredModel

_MIXED = "UD-"
"""Before a quantisation that mixes others; who means one may leave it out, here as on the hub."""


class Stored(Protocol):
    """What is on this machine."""

    @property
    def models(self) -> Sequence[StoredModel]:
        """All models."""

    def find(self, name: str) -> StoredModel | None:
        """The model of this name."""


@dataclass(frozen=True, slots=True)
class Located:
    """The file to load, which is there once all of `files` are; what was chosen and why is in `note`, if it was."""

    path: Path
    files: tuple[RemoteFile, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where models can be. The disk is searched and the hub is known only when a source takes that.

    `words` are the other words that can be meant by one that nothing is called: the names of profiles.
    """

    stored: Callable[[], Stored]
    hub: Callable[[], Hub]
    words: Sequence[str] = ()


def locate(source: ModelSource, where: Whereabouts) -> Located:
    """Find a model, without fetching it. A local path that leads to nothing is given back: loading explains it.

    Raises `ModelLoadError` for what nothing is called or what is not all there, and the errors of the hub where that
    has to be asked.
    """
    match source:
        case LocalFile(path):
            return _local(path, where)
        case WheelFile(package, name):
            return Located(_embedded(package, name))
        case NamedModel(name):
            return _named(name, where)
        case HubModel():
            return _on_disk(source, where) or _on_hub(source, where.hub())


def _local(path: Path, where: Whereabouts) -> Located:
    if not exists(path):
        return _taken(where.stored().find(str(path))) or Located(path)
    parts = [path.with_name(part) for part in all_parts(path.name)]
    if missing := [part for part in parts if not exists(part)]:
        raise ModelLoadError(
            f"{path} is one of {len(parts)} parts of a model, and {missing[0].name} is not beside it.",
            "Put all parts into one folder.",
        )
    return Located(parts[0])


def _embedded(package: str, name: str) -> Path:
    try:
        return embedded_file(package, name)
    except ProfileError as error:
        raise ModelLoadError(error.message, error.hint) from error


def _named(name: str, where: Whereabouts) -> Located:
    stored = where.stored()
    if found := _taken(stored.find(name)):
        return found
    guess = nearest(name, [*where.words, *(model.name for model in stored.models)])
    hint = "Write ./FILE for a file, USER/REPO[:QUANT] for the hub, or a name that specchat list shows."
    raise ModelLoadError(f"There is no model called {name}.", f"{guess} {hint}".lstrip())


def _on_disk(source: HubModel, where: Whereabouts) -> Located | None:
    """The model as a store of this machine has it, whichever tool put it there."""
    if source.revision != MAIN:
        return _cached(source, where.hub()) if source.file else None
    exact, stored = first_shard(spelled(source)), where.stored()
    names = [exact]
    if is_unnamed(source.quant) and not source.file:
        names.append(source.repo)
    elif source.quant:
        names.append(f"{source.repo}:{_MIXED}{source.quant}")
    for name in (*names, *(f"hf.co/{name}" for name in names)):  # the latter as Ollama calls it
        if found := stored.find(name):
            check_loadable(found)
            named = source.file or found.name.casefold().endswith(exact.casefold())
            chosen = "" if named else f"{exact}: {found.name}, which is on this machine."
            return Located(found.path, note=" ".join(filter(None, [chosen, _note(found)])))
    return None


def _cached(source: HubModel, hub: Hub) -> Located | None:
    """The very revision out of the hub's cache, which the stores do not tell apart."""
    parts = [cached_file(hub.cache, source.repo, source.revision, part) for part in all_parts(source.file or "")]
    return Located(parts[0]) if parts[0] and all(parts) else None


def _on_hub(source: HubModel, hub: Hub) -> Located:
    hub.require_online(spelled(source))
    listed = {file.path: file for file in hub.files(source.repo, source.revision)}
    if not any(map(is_gguf, listed)):
        raise _without_gguf(source.repo, hub)
    choice = choose(list(listed), source)
    files = tuple(listed[path] for path in choice.paths)
    places = [Place(hub.cache, file) for file in files]
    whole = all(place.has_pointer for place in places)
    return Located(places[0].pointer, () if whole else files, choice.reason)


def _without_gguf(repo: str, hub: Hub) -> ModelLoadError:
    found = gguf_repos(hub, repo)
    hint = f"These have: {', '.join(found)}." if found else f"Look for a conversion at {hub.address}/models."
    return ModelLoadError(f"{repo} has no GGUF files, which is what llama.cpp loads.", hint)


def _taken(model: StoredModel | None) -> Located | None:
    if model is None:
        return None
    check_loadable(model)
    return Located(model.path, note=_note(model))


def _note(model: StoredModel) -> str:
    return f"{model.name}: {model.note}." if model.note else ""
