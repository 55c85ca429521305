"""What llama.cpp allocates for a model, as its log says it."""

import io
import re
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from pathlib import Path

from specchat.profiles.seen_model import see_file
from specchat.speculative.footprint.memory import LoadedBy, ModelMemory, model_memory
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel

MIB = 2**20
_CACHE = re.compile(r"size = +([\d.]+) MiB \( *\d+ cells")
_COMPUTE = re.compile(r"compute buffer size = +([\d.]+) MiB")
_WEIGHTS = re.compile(r"(?<!REPACK) model buffer size = +([\d.]+) MiB")


@dataclass(frozen=True)
class Allocated:
    """Bytes; those out of the log are rounded to a hundredth of a MiB. `mapped` is what a file takes of addresses."""

    weights: int
    mapped: float
    cache: float
    compute: float


def allocated(path: Path, config: LlamaConfig) -> Allocated:
    """Load a model and read the log."""
    with redirect_stderr(io.StringIO()) as log, LlamaModel.load(path, replace(config, verbose=True)) as model:
        weights = model.size
    mapped, cache, compute = (_logged(pattern, log.getvalue()) for pattern in (_WEIGHTS, _CACHE, _COMPUTE))
    return Allocated(weights, mapped, cache, compute)


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


def _logged(pattern: re.Pattern[str], log: str) -> float:
    return sum(float(size) for size in pattern.findall(log)) * MIB
