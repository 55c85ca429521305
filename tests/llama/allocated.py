"""What llama.cpp allocates for models, as its log says it."""

import io
import re
from collections.abc import Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from pathlib import Path

from specchat.profiles.seen_model import see_file
from specchat.speculative.devices import Device
from specchat.speculative.footprint.memory import LoadedBy, ModelMemory, model_memory
from specchat.speculative.footprint.spread import Share
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel

MIB = 2**20
_BUFFER = re.compile(r"(\w+)(?:\[([\w.:]+)\])? +(model|KV|RS|compute|output) buffer size = +([\d.]+) MiB")
"""A device, or the only one of a server, which is known by where that listens."""
_LAID_OUT = "_REPACK"
_KINDS = re.compile(f"_Mapped|{_LAID_OUT}")
_LAYERS = re.compile(r"offloaded (\d+)/\d+ layers")
_BEGINNING = "loaded meta data with"


@dataclass(frozen=True)
class Allocated:
    """Bytes; those out of the log are rounded to a hundredth of a MiB. `mapped` is what a file takes of addresses."""

    weights: int
    mapped: float
    cache: float
    compute: float


@dataclass(frozen=True)
class Reported:
    """Bytes of one model by the names of devices, or the endpoints of servers, and how many layers devices have.

    Logits count among what main memory computes with. All are rounded to a hundredth of a MiB, for each buffer.
    """

    places: Mapping[str, Share]
    layers: int

    def of(self, device: Device) -> Share:
        """What is on one of the devices."""
        return self.places.get(device.description if device.is_remote else device.name, Share())

    @property
    def total(self) -> int:
        """Wherever."""
        return sum(share.total for share in self.places.values())


def allocated(path: Path, config: LlamaConfig) -> Allocated:
    """Load a model and read the log."""
    log, weights = _loaded(path, config)
    sizes = dict.fromkeys(("model", "KV", "RS", "compute", "output"), 0.0)
    for device, part, size in _buffers(log):
        sizes[part] += 0 if part == "model" and device.endswith(_LAID_OUT) else size
    return Allocated(weights, sizes["model"], sizes["KV"] + sizes["RS"], sizes["compute"])


def reported_alone(path: Path, config: LlamaConfig) -> Reported:
    """The same by device, of a model that is loaded without `mmap`."""
    log, _ = _loaded(path, config)
    [model] = reported(log, config.max_rows)
    return model


def reported(log: str, *rows: int) -> list[Reported]:
    """What the log says of the last models that were loaded, without `mmap`, in their order.

    One for each number of `rows`: of logits it says what one row takes, before a pass returns as many as it may.
    """
    return [_of_one(each, count) for each, count in zip(log.split(_BEGINNING)[-len(rows) :], rows, strict=True)]


def predicted(path: Path, config: LlamaConfig) -> ModelMemory:
    """What is reckoned for it, from its header."""
    shape = see_file(path).shape()
    assert shape is not None
    return model_memory(shape, loaded_by(path, config))


def loaded_by(path: Path, config: LlamaConfig) -> LoadedBy:
    """How it is loaded, for reckoning."""
    shape = see_file(path).shape()
    assert shape is not None
    return config.loaded_by(shape.trained_context)


def _loaded(path: Path, config: LlamaConfig) -> tuple[str, int]:
    """Load a model: the log of it, and the bytes of the weights."""
    with redirect_stderr(io.StringIO()) as log, LlamaModel.load(path, replace(config, verbose=True)) as model:
        return log.getvalue(), model.size


def _of_one(log: str, rows: int) -> Reported:
    places: dict[str, Share] = {}
    for device, part, size in _buffers(log):
        name = _KINDS.sub("", device)
        places[name] = _with(places.get(name, Share()), part, round(size * (rows if part == "output" else 1)))
    layers = _LAYERS.search(log)
    return Reported(places, int(layers[1]) if layers else 0)


def _with(share: Share, part: str, size: int) -> Share:
    match part:
        case "model":
            return replace(share, weights=share.weights + size)
        case "KV" | "RS":
            return replace(share, cache=share.cache + size)
        case _:
            return replace(share, compute=share.compute + size)


def _buffers(log: str) -> Iterator[tuple[str, str, float]]:
    """What each is of, what it holds, and its bytes."""
    for device, endpoint, part, size in _BUFFER.findall(log):
        yield endpoint or device, part, float(size) * MIB
