"""`specchat list`: the models that are on this machine, in whatever store, by the names that -m takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specchat.profiles.gguf.facts import ModelFacts
from specchat.profiles.stores.description import Description, described
from specchat.profiles.stores.stored import StoredModel

from ..display.json_text import written
from ..display.quantities import day, file_size, moment
from ..display.screen import note
from ..display.table import Entry, table_lines
from ..environment import Environment
from ..models.stores import inventory, tell_of_stores
from ..options.output import JsonOption

_HEADER = ("name", "size", "weights", "vocabulary", "used", "store")
_UNTOLD = ("default", "")
"""What a file calls its way of cutting words when it has none of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """How to list."""

    json: JsonOption = False


def list_models(env: Environment, options: ListOptions) -> None:
    """List the models on this machine.

    They are looked for in the hub's cache, llama.cpp's, LM Studio's, Ollama's and your own folders. Every name that is
    shown can be given to -m and --draft.
    """
    found = inventory(env)
    models = [(model, described(model)) for model in found.models]
    if options.json:
        notices = [{"message": notice.message, "hint": notice.hint} for notice in found.notices]
        content = {"models": [_content(*each) for each in models], "notices": notices}
        env.stdout.write(f"{written(content)}\n")
        return
    env.stdout.writelines(f"{line}\n" for line in _lines(models, env.room))
    if not models:
        note(env, "There are no models on this machine yet. The small one is --profile demo.")
    tell_of_stores(env, found)


def _lines(models: Sequence[tuple[StoredModel, Description]], columns: int | None) -> list[str]:
    return table_lines(_HEADER, [Entry(_cells(*each), _problems(*each)) for each in models], columns)


def _cells(model: StoredModel, description: Description) -> tuple[str, ...]:
    facts = description.facts
    told = (facts.quantisation or "", _vocabulary(facts)) if facts else ("", "")
    return (model.name, file_size(model.size), *told, day(model.last_used), model.store)


def _vocabulary(facts: ModelFacts) -> str:
    """The family of a vocabulary and its size: models that draft for each other agree in it, up to a few tokens."""
    family = facts.tokenizer if (facts.pre_tokenizer or "") in _UNTOLD else facts.pre_tokenizer
    return f"{family} {facts.vocabulary / 1000:.0f}k" if family else ""


def _problems(model: StoredModel, description: Description) -> list[str]:
    return [problem for problem in (model.note, description.problem) if problem]


def _content(model: StoredModel, description: Description) -> dict[str, Any]:
    facts = description.facts
    return {
        "name": model.name,
        "store": model.store,
        "path": str(model.path),
        "shards": [str(shard) for shard in model.shards],
        "size": model.size,
        "last_used": moment(model.last_used).isoformat(timespec="seconds"),
        "architecture": facts and facts.architecture,
        "quantisation": facts and facts.quantisation,
        "vocabulary": facts and _vocabulary(facts),
        "tokens": facts and facts.vocabulary,
        "problems": _problems(model, description),
    }
