"""Models in several files: `NAME-00001-of-00003.gguf` and so on. llama.cpp is given the first and finds the others."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_SHARD = re.compile(r"(?P<prefix>.+)-(?P<index>\d{5})-of-(?P<count>\d{5})(?P<ending>\.gguf)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of a model in `count` files; `index` counts from 1."""

    prefix: str
    index: int
    count: int
    ending: str

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all files of the model, in order."""
        return tuple(self._part(index) for index in range(1, self.count + 1))

    @property
    def first(self) -> str:
        """The name of the file to load."""
        return self._part(1)

    def _part(self, index: int) -> str:
        return f"{self.prefix}-{index:05}-of-{self.count:05}{self.ending}"


def shard_of(name: str) -> Shard | None:
    """What the name of a file says about its place in a model; None for a model in one file."""
    match = _SHARD.fullmatch(name)
    if match is None or not 1 <= int(match["index"]) <= int(match["count"]):
        return None
    return Shard(match["prefix"], int(match["index"]), int(match["count"]), match["ending"])


def all_parts(name: str) -> tuple[str, ...]:
    """All files of the model that `name` is a file of, in order: `name` alone where it is whole."""
    shard = shard_of(name)
    return shard.parts if shard else (name,)


def first_shard(name: str) -> str:
    """The file to load for `name`, which may be any file of a model."""
    shard = shard_of(name)
    return shard.first if shard else name


def parts_among(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """The files among `names` that make one model with `name`, in order."""
    there = set(names)
    return tuple(part for part in all_parts(name) if part in there)
