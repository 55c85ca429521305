"""What a model is, wherever it is: on this machine, or on the hub and not fetched."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .gguf.facts import ModelFacts, model_facts
from .gguf.header import FileBytes, GgufHeader, read_header
from .hub.bytes_source import HubBytes
from .resolve import Located, Whereabouts, locate
from .shards import all_parts
from .sources import ModelSource


@dataclass(frozen=True, slots=True)
class SeenModel:
    """A model of which only the header was read.

    `size` is that of all its files in bytes, and `fetched` says whether they are on this machine, the first of them at
    `path`. Why just these were chosen is in `note`, if they were. `licence` is what the header says, or else the hub.
    """

    header: GgufHeader
    facts: ModelFacts
    size: int
    path: Path
    fetched: bool
    note: str
    licence: str | None


def see(source: ModelSource, where: Whereabouts) -> SeenModel:
    """Read the header of a model. Raises what `locate` and `read_header` do."""
    return see_located(locate(source, where), where)


def see_located(located: Located, where: Whereabouts) -> SeenModel:
    """Read the header of a model that was found. Raises what `read_header` does."""
    if located.files:
        first = located.files[0]
        header = read_header(HubBytes(where.hub(), first), f"{first.repo}/{first.path}")
        size, licence = sum(file.size for file in located.files), first.licence
    else:
        header = read_header(FileBytes(located.path), str(located.path))
        size, licence = _sizes(located.path.with_name(part) for part in all_parts(located.path.name)), ""
    facts = model_facts(header)
    return SeenModel(
        header=header,
        facts=facts,
        size=size,
        path=located.path,
        fetched=not located.files,
        note=located.note,
        licence=facts.licence or licence or None,
    )


def _sizes(parts: Iterable[Path]) -> int:
    return sum(part.stat().st_size for part in parts if part.is_file())
