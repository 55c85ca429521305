"""What a store says about its models."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HUB, LLAMA_CPP, LM_STUDIO, OLLAMA, FOLDER = "hub cache", "llama.cpp", "LM Studio", "Ollama", "folder"
"""The stores, in the order in which they are asked for a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModel:
    """A model on the disk that can be named.

    `size` is in bytes, `last_used` in seconds since 1970. `shards` are all its files in order, `path` is the first of
    them: the one to load. `sums` has what each shard should hash to, as `sha256:…` or `git-sha1:…`, or nothing.
    """

    name: str
    path: Path
    store: str
    size: int
    last_used: float
    shards: tuple[Path, ...]
    sums: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A model as one store has it. It is called by the first of `names` that is its alone, else by its path.

    `aliases` find it too, where nothing else is called so. `quantisation` is what its file's name says. Without `sums`
    none is known.
    """

    shards: tuple[Path, ...]
    names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    quantisation: str = ""
    sums: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something in a store that is no model to choose, and what can be done about it."""

    message: str
    hint: str = ""


def incomplete(name: str, store: str, missing: Sequence[int], remedy: str) -> Notice:
    """What is said of a split model some parts of which are not there."""
    parts = ", ".join(map(str, missing[:3])) + (" …" if len(missing) > 3 else "")
    noun = f"part {parts} is" if len(missing) == 1 else f"parts {parts} are"
    return Notice(f"{name} ({store}) is incomplete: {noun} missing.", remedy)
