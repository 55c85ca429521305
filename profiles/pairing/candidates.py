"""Models that may draft for a target, before anybody looked whether they fit."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from specchat.speculative.bench.gains import Gain

from ..gguf.header import ByteSource, FileBytes
from ..stores.stored import StoredModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model by the `name` that --draft takes, and where its header can be read; `size` is that of all its files.

    On this machine it is loaded from `path`, and `gain` is what drafting with it was measured to bring there. `licence`
    is what the hub says, where it was asked.
    """

    name: str
    where: str
    size: int
    source: ByteSource
    path: Path | None = None
    gain: Gain | None = None
    licence: str = ""


def stored_candidates(
    models: Iterable[StoredModel], below: int, gain: Callable[[Path], Gain | None]
) -> list[Candidate]:
    """The models on this machine of less than `below` bytes: what is as large as its target saves nothing."""
    return [
        Candidate(
            name=model.name,
            where=model.store,
            size=model.size,
            source=FileBytes(model.path),
            path=model.path,
            gain=gain(model.path),
        )
        for model in models
        if model.size < below
    ]
