"""`specchat verify`: whether the models on this machine are still what they were fetched as."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from specchat.profiles.errors import FetchError
from specchat.profiles.stores.stored import HUB, OLLAMA, StoredModel
from specchat.profiles.stores.sums import is_intact
from specchat.speculative.errors import ModelLoadError

from ..display.json_text import written
from ..display.screen import one_line
from ..display.status_line import StatusLine
from ..environment import Environment
from ..models.stores import inventory, named
from ..options.output import JsonOption
from ..options.panels import MODELS

INTACT, DAMAGED, UNREADABLE, UNKNOWN = "intact", "damaged", "unreadable", "no sum"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """What to verify."""

    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="A name, as specchat list shows it; all models without one.",
            rich_help_panel=MODELS,
        ),
    ] = None
    json: JsonOption = False


def verify(env: Environment, options: VerifyOptions) -> None:
    """Check that models are what was fetched.

    The hub's cache, Ollama and llama.cpp keep checksums of what they fetch; LM Studio keeps none.
    """
    found = inventory(env)
    models = named(found, options.names) if options.names else list(found.models)
    results: list[tuple[StoredModel, str]] = []
    for model in models:
        result = _checked(env, model)
        results.append((model, result))
        if not options.json:
            env.stdout.write(f"{result:<10}  {one_line(model.name)}\n")
            env.stdout.flush()
    if options.json:
        env.stdout.write(f"{written({'models': [_content(*each) for each in results]})}\n")
    _raise_for(results)


def _checked(env: Environment, model: StoredModel) -> str:
    """How the files of a model compare with their sums: the worst of them counts."""
    line = StatusLine(env)
    advanced = _progress(line, model)
    try:
        pairs = [(shard, wanted) for shard, wanted in zip(model.shards, model.sums, strict=True) if wanted]
        if not all(is_intact(shard, wanted, advanced) for shard, wanted in pairs):
            return DAMAGED
        return INTACT if len(pairs) == len(model.shards) else UNKNOWN
    except OSError:
        return UNREADABLE
    finally:
        line.clear()


def _progress(line: StatusLine, model: StoredModel) -> Callable[[int], None]:
    done, shown = 0, -1

    def advanced(count: int) -> None:
        nonlocal done, shown
        done += count
        share = 100 * done // max(model.size, 1)
        if share != shown:
            shown = share
            line.show(f"checking {one_line(model.name)}: {share}%")

    return advanced


def _raise_for(results: list[tuple[StoredModel, str]]) -> None:
    """Raise `FetchError` where models are damaged, `ModelLoadError` where some could not be read."""
    for kind, error in ((DAMAGED, FetchError), (UNREADABLE, ModelLoadError)):
        models = [model for model, result in results if result == kind]
        if models:
            names = ", ".join(model.name for model in models)
            counted = "1 model is" if len(models) == 1 else f"{len(models)} models are"
            hint = _remedy(models[0]) if kind == DAMAGED else "Check the permissions of its files."
            raise error(f"{counted} {kind}: {names}.", hint)


def _remedy(model: StoredModel) -> str:
    name, called_by_path = model.name, model.name == str(model.path)
    if model.store == HUB and not called_by_path:
        return f"Fetch it again: specchat rm {name}, then specchat pull {name}"
    if model.store == OLLAMA and not called_by_path:
        return f"Fetch it again: ollama rm {name}, then ollama pull {name}"
    return f"Remove {model.path} and fetch it again."


def _content(model: StoredModel, result: str) -> dict[str, Any]:
    return {"name": model.name, "store": model.store, "path": str(model.path), "result": result}
