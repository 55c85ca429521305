"""All the models that are on this machine, each with a name of its own."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from specchat.speculative.errors import UsageError

from ..errors import ProfileError
from ..hub.choice import USUAL
from ..names import parse_model
from ..sources import LocalFile, spelled
from .hub_cache import hub_models
from .llama_cache import llama_cache_models
from .lm_studio import lm_studio_models
from .ollama import ollama_models
from .places import Places
from .plain_folder import folder_models
from .stored import FOLDER, HUB, LLAMA_CPP, LM_STUDIO, OLLAMA, Found, Notice, StoredModel
from .survey import Survey

_NOWHERE = Path(os.devnull)
"""A folder that holds nothing."""

_Reader = Callable[[Path, Survey], list[Found]]


@dataclass(frozen=True, slots=True)
class Inventory:
    """The models, and what else there is to say about the stores. No two models have the same name."""

    models: tuple[StoredModel, ...]
    notices: tuple[Notice, ...]
    _by_name: Mapping[str, StoredModel]

    def find(self, name: str) -> StoredModel | None:
        """The model called `name`: as it is listed, or by a repository, or by a file or a quantisation in one."""
        return self._by_name.get(name) or self._by_name.get(name.casefold())


def stored_models(places: Places, reserved: Collection[str] = ()) -> Inventory:
    """Look into all places. No model is opened, so this takes milliseconds; no model is called by a `reserved` word."""
    notices: list[Notice] = []
    models: list[StoredModel] = []
    by_name: dict[str, StoredModel] = {}
    for store, found in _by_store(places, notices):
        named = _named(store, found, {*map(str.casefold, reserved), *by_name})
        models += [model for model, _ in named]
        by_name |= {model.name.casefold(): model for model, _ in named} | {model.name: model for model, _ in named}
        for model, each in sorted(named, key=lambda pair: _place(pair[1].quantisation)):
            for name in (*each.names, *each.aliases):
                by_name.setdefault(name.casefold(), model)
    return Inventory(tuple(models), tuple(notices), by_name)


def _by_store(places: Places, notices: list[Notice]) -> Iterable[tuple[str, list[Found]]]:
    """What each store has; a file that two of them reach by the same path belongs to the first."""
    seen: set[Path] = set()
    for store, folders, read in _stores(places):
        of_store: list[Found] = []
        for folder in dict.fromkeys(folders):
            survey = Survey(store)
            new = [found for found in read(folder.absolute(), survey) if found.shards[0] not in seen]
            seen |= {found.shards[0] for found in new}
            of_store += new
            notices += survey.notices
        yield store, of_store


def _stores(places: Places) -> list[tuple[str, tuple[Path, ...], _Reader]]:
    return [
        (HUB, (places.hub,) if places.hub else (), hub_models),
        (LLAMA_CPP, places.llama_cpp, _llama_cpp_models),
        (LM_STUDIO, places.lm_studio, lm_studio_models),
        (OLLAMA, places.ollama, ollama_models),
        (FOLDER, places.folders, folder_models),
    ]


def _llama_cpp_models(folder: Path, survey: Survey) -> list[Found]:
    """What an older llama.cpp has in a folder, and what a newer one has in the same."""
    return [*llama_cache_models(folder, survey), *hub_models(folder, survey)]


def _named(store: str, found: list[Found], taken: set[str]) -> list[tuple[StoredModel, Found]]:
    """The models of a store, each by the first of its names that nothing else has, or else by its path."""
    offers = Counter(name.casefold() for each in found for name in (*each.names, *each.aliases))
    named = []
    for each in found:
        own = {name.casefold() for name in (*each.names, *each.aliases)}
        free = {name for name in own if offers[name] == 1 and name not in taken}
        name = next((name for name in each.names if name.casefold() in free and _typed(name) in free), None)
        if model := _model(name or str(each.shards[0]), store, each):
            named.append((model, each))
    return named


def _typed(name: str) -> str | None:
    """What is looked for when a person types `name`; None where that is no name of a model."""
    try:
        source = parse_model(name, _NOWHERE)
    except (ProfileError, UsageError):
        return None
    return None if isinstance(source, LocalFile) else spelled(source).casefold()


def _model(name: str, store: str, found: Found) -> StoredModel | None:
    try:
        states = [shard.stat() for shard in found.shards]
    except OSError:  # removed since it was seen
        return None
    return StoredModel(
        name=name,
        path=found.shards[0],
        store=store,
        size=sum(state.st_size for state in states),
        # where access times are not kept, the time of the download is what is known
        last_used=max(max(state.st_atime, state.st_mtime) for state in states),
        shards=found.shards,
        sums=found.sums or ("",) * len(found.shards),
        note=found.note,
    )


def _place(quantisation: str) -> int:
    """Where a file stands among those of a repository when only the repository is named."""
    return USUAL.index(quantisation) if quantisation in USUAL else len(USUAL)
