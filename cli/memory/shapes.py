"""What decides how much memory the models on this machine take, read from their headers once."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from specchat.profiles.shards import all_parts
from specchat.speculative.cache import Cache
from specchat.speculative.errors import SpecchatError
from specchat.speculative.model_file import file_identity

from ..environment import Environment

if TYPE_CHECKING:
    from specchat.speculative.footprint.shape import ModelShape

_FOLDER = "shapes"
_RULES = 3
"""Grows when headers are read by other rules: what was found by the old ones is forgotten."""


def stored_shape(env: Environment, file: Path) -> "ModelShape | None":
    """The shape of a model here; None where its header does not say it, or cannot be read: loading will say why.

    The header of a large vocabulary takes a moment, so the shape is kept for the next start.
    """
    folder = env.cache_folder
    cache = Cache(folder / _FOLDER if folder else None)
    try:
        parts = [file_identity(file.with_name(part)) for part in all_parts(file.name)]
        key = f"{' | '.join(parts)} | {_RULES}"
        return _kept(cache.load(key)) or _read(file, cache, key)
    except (OSError, SpecchatError):
        return None


def _read(file: Path, cache: Cache, key: str) -> "ModelShape | None":
    from specchat.profiles.seen_model import see_file

    found = see_file(file).shape()
    if found is not None:
        cache.save(key, asdict(found))
    return found


def _kept(value: Any) -> "ModelShape | None":
    """The shape in a cached value; None if that cannot be one."""
    from specchat.speculative.footprint.shape import LayerShape, ModelShape

    try:
        layers = tuple(LayerShape(**layer) for layer in value["layers"])
        found = ModelShape(**{**value, "layers": layers})
    except (TypeError, KeyError):
        return None
    numbers = [*_numbers(value), *(number for layer in value["layers"] for number in _numbers(layer))]
    return found if layers and all(type(number) in (int, bool) and number >= 0 for number in numbers) else None


def _numbers(fields: Mapping[str, Any]) -> list[Any]:
    return [value for name, value in fields.items() if name != "layers"]
