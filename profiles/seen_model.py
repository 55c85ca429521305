"""What a model is, wherever it is: on this machine, or on the hub and not fetched."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .gguf.facts import ModelFacts, model_facts
from .gguf.header import ByteSource, FileBytes, GgufHeader, read_header
from .hub.bytes_source import HubBytes
from .resolve import Located, Whereabouts, locate
from .shards import all_parts
from .sources import ModelSource

if TYPE_CHECKING:
    from specchat.speculative.footprint.shape import ModelShape


@dataclass(frozen=True, slots=True)
class SeenModel:
    """A model of which only the header was read.

    `size` is that of all its files in bytes, and `fetched` says whether they are on this machine, the first of them at
    `path`. Why just these were chosen is in `note`, if they were. `licence` is what the header says, or else the hub.
    `others` are the files of a split model behind the first.
    """

    header: GgufHeader
    facts: ModelFacts
    size: int
    path: Path
    fetched: bool
    note: str
    licence: str | None
    others: tuple["Part", ...] = ()

    def shape(self) -> "ModelShape | None":
        """What decides how much memory it takes, None where that cannot be known; reads the headers of all its files.

        Raises what `read_header` does.
        """
        from .gguf.shape import model_shape

        return model_shape([self.header, *(read_header(part.source, part.name) for part in self.others)])


@dataclass(frozen=True, slots=True)
class Part:
    """One more file of a split model."""

    source: ByteSource
    name: str


def see(source: ModelSource, where: Whereabouts) -> SeenModel:
    """Read the header of a model. Raises what `locate` and `read_header` do."""
    return see_located(locate(source, where), where)


def see_located(located: Located, where: Whereabouts) -> SeenModel:
    """Read the header of a model that was found. Raises what `read_header` does."""
    if not located.files:
        return see_file(located.path, located.note)
    parts = [Part(HubBytes(where.hub(), file), f"{file.repo}/{file.path}") for file in located.files]
    size = sum(file.size for file in located.files)
    return _seen(parts, size, located.path, fetched=False, note=located.note, licence=located.files[0].licence)


def see_file(path: Path, note: str = "") -> SeenModel:
    """Read the header of a file of this machine; of a model in several files, the first. Raises as `read_header`."""
    paths = [path, *(path.with_name(part) for part in all_parts(path.name)[1:])]
    parts = [Part(FileBytes(part), str(part)) for part in paths]
    return _seen(parts, _sizes(paths), path, fetched=True, note=note, licence="")


def _seen(parts: Sequence[Part], size: int, path: Path, *, fetched: bool, note: str, licence: str) -> SeenModel:
    first, *others = parts
    header = read_header(first.source, first.name)
    facts = model_facts(header)
    return SeenModel(
        header=header,
        facts=facts,
        size=size,
        path=path,
        fetched=fetched,
        note=note,
        licence=facts.licence or licence or None,
        others=tuple(others),
    )


def _sizes(parts: Iterable[Path]) -> int:
    return sum(part.stat().st_size for part in parts if part.is_file())
