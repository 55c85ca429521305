"""All the models that are on this machine, each with a name of its own."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .hub_cache import hub_models
from .llama_cache import llama_cache_models
from .lm_studio import lm_studio_models
from .ollama import ollama_models
from .places import Places
from .plain_folder import folder_models
from .stored import FOLDER, HUB, LLAMA_CPP, LM_STUDIO, OLLAMA, Found, Notice, StoredModel
from .survey import Survey

_PREFERRED = ("Q4_K_M", "Q8_0")
"""What llama.cpp takes of a repository when it is not told."""

_Reader = Callable[[Path, Survey], list[Found]]


@dataclass(frozen=True, slots=True)
class Inventory:
    """The models, and what else there is to say about the stores. No two models have the same name."""

    models: tuple[StoredModel, ...]
    notices: tuple[Notice, ...]
    _by_name: Mapping[str, StoredModel]

    def find(self, name: str) -> StoredModel | None:
        """The model called `name`: as it is listed, or by a repository, a file in one or a quantisation of it."""
        return self._by_name.get(name) or self._by_name.get(name.casefold())


def stored_models(places: Places) -> Inventory:
    """Look into all places. Nothing in them is opened but small text files, so this takes milliseconds."""
    notices: list[Notice] = []
    models: list[StoredModel] = []
    aliases: dict[str, StoredModel] = {}
    for store, found in _by_store(places, notices):
        named = _named(store, found, {model.name.casefold() for model in models})
        models += [model for model, _ in named]
        for model, each in sorted(named, key=lambda pair: _place(pair[1].quantisation)):
            for name in (*each.names, *each.aliases):
                aliases.setdefault(name.casefold(), model)
    listed = {name: model for model in models for name in (model.name, model.name.casefold())}
    return Inventory(tuple(models), tuple(notices), aliases | listed)


def _by_store(places: Places, notices: list[Notice]) -> Iterable[tuple[str, list[Found]]]:
    """What each store has; a file that two of them reach by the same path belongs to the first."""
    seen: set[Path] = set()
    for store, folders, read in _stores(places):
        of_store = []
        for folder in dict.fromkeys(folders):
            survey = Survey(store)
            for found in read(folder.absolute(), survey):
                if found.shards[0] not in seen:
                    seen.add(found.shards[0])
                    of_store.append(found)
            notices += survey.notices
        yield store, of_store


def _stores(places: Places) -> list[tuple[str, tuple[Path, ...], _Reader]]:
    return [
        (HUB, (places.hub,) if places.hub else (), hub_models),
        (LLAMA_CPP, places.llama_cpp, lambda folder, survey: [*llama_cache_models(folder, survey), *_newer(folder)]),
        (LM_STUDIO, places.lm_studio, lm_studio_models),
        (OLLAMA, places.ollama, ollama_models),
        (FOLDER, places.folders, folder_models),
    ]


def _newer(folder: Path) -> list[Found]:
    """A newer llama.cpp in the same folder; what is to be noticed there was, by the older."""
    return hub_models(folder, Survey(LLAMA_CPP))


def _named(store: str, found: list[Found], taken: set[str]) -> list[tuple[StoredModel, Found]]:
    """The models of a store with names of their own."""
    offers = Counter(name.casefold() for each in found for name in each.names)
    named = []
    for each in found:
        free = (name for name in each.names if offers[name.casefold()] == 1 and name.casefold() not in taken)
        model = _model(next(free, str(each.shards[0])), store, each)
        if model:
            named.append((model, each))
    return named


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
        sums=found.sums,
        note=found.note,
    )


def _place(quantisation: str) -> int:
    """Where a file stands among those of a repository when only the repository is named."""
    return _PREFERRED.index(quantisation) if quantisation in _PREFERRED else len(_PREFERRED)
