"""The draft where none is named: the best one on this machine, or n-grams."""

from pathlib import Path

from specchat.profiles.gguf.header import FileBytes, read_header
from specchat.profiles.pairing import draft_for
from specchat.profiles.resolve import Located, Whereabouts
from specchat.profiles.shards import all_parts
from specchat.profiles.stores.stored import StoredModel
from specchat.speculative.cache import Cache
from specchat.speculative.errors import SpecchatError

from .environment import Environment
from .screen import note, one_line

_RULES = 1
"""Grows when drafts are chosen by other rules: what was chosen by the old ones is forgotten."""


def auto_draft(env: Environment, target: Located, where: Whereabouts, *, quiet: bool) -> Path | None:
    """The file of the draft, which is told in a line; None where nothing here fits, whatever the reason.

    What was chosen is kept for as long as the files are the same, so that a start need not read their headers.
    """
    try:
        chosen = _chosen(env, target.path, [model for model in where.stored().models if model.path != target.path])
    except (SpecchatError, OSError):  # who named no draft is told of no trouble with one
        return None
    if chosen and not quiet:
        note(env, f"{one_line(chosen.name)} drafts, found in the {chosen.store}; --draft ngram does without it.")
    return chosen.path if chosen else None


def _chosen(env: Environment, target: Path, models: list[StoredModel]) -> StoredModel | None:
    size = sum(target.with_name(part).stat().st_size for part in all_parts(target.name))
    smaller = [model for model in models if model.size < size]
    if not smaller:
        return None
    state = target.stat()
    files = sorted(f"{model.path} {model.size} {model.path.stat().st_mtime_ns}" for model in smaller)
    key = " | ".join([f"draft for {target} {size} {state.st_mtime_ns} by rules {_RULES}", *files])
    cache = Cache(env.cache_folder)
    if isinstance(kept := cache.load(key), str):
        return next((model for model in smaller if str(model.path) == kept), None)
    chosen = draft_for(read_header(FileBytes(target), str(target)), size, smaller)
    cache.save(key, str(chosen.path) if chosen else "")
    return chosen
