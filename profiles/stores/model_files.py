"""Which files are models, split ones put together, and what their names say."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..shards import first_shard, shard_of

_QUANTISATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d+(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|FP?16|F32|MXFP4(?:_MOE)?|NVFP4))$", re.IGNORECASE
)
_COMPANIONS = ("mmproj", "imatrix", "mtp-", "eagle3-", "dflash-", "dspark-")
"""What llama.cpp knows files by that go with a model: projectors, statistics for quantising, heads that draft."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of one model in order, without the parts whose numbers are `missing`; `stem` names all of them."""

    stem: str
    shards: tuple[Path, ...]
    missing: tuple[int, ...] = ()

    @property
    def quantisation(self) -> str:
        """What the name says of it, in capitals; nothing if it says nothing."""
        return quantisation(self.stem)


def quantisation(stem: str) -> str:
    """What the end of a file's name, without its ending and part number, says of how the weights are stored."""
    match = _QUANTISATION.search(stem)
    return match[1].upper() if match else ""


def is_model_name(name: str) -> bool:
    """Whether a file of this name holds a model, and not something that goes with one."""
    lowered = name.lower()
    return lowered.endswith(".gguf") and not any(word in lowered for word in _COMPANIONS)


def models_among(files: Iterable[Path]) -> list[ModelFiles]:
    """The models in `files`; a link to nothing is no file."""
    parts: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in files:
        if is_model_name(file.name) and os.path.isfile(file):  # noqa: PTH113 - raises nothing, unlike Path's
            parts[file.with_name(first_shard(file.name))].append(file)
    return [_joined(each) for each in parts.values()]


def _joined(files: list[Path]) -> ModelFiles:
    shard = shard_of(files[0].name)
    if shard is None:
        return ModelFiles(files[0].stem, tuple(files))
    numbered = {part.index: file for file in files if (part := shard_of(file.name))}
    missing = tuple(number for number in range(1, shard.count + 1) if number not in numbered)
    return ModelFiles(shard.prefix, tuple(numbered[number] for number in sorted(numbered)), missing)
