"""Which of the files in a folder are models, split ones put together."""

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

    r"(?:^|[-._])((?:UD-)?(?:I?Q\d+(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|FP?16|F32|MXFP4(?:_MOE)?|NVFP4))$", re.IGNORECASE
"""What llama.cpp knows files by that go with a model: projectors, statistics for quantising, heads that draft."""
)
_COMPANIONS = ("mmproj", "imatrix", "mtp-", "eagle3-", "dflash-", "dspark-")
_QUANTISATION = re.compile(
_SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})", re.IGNORECASE)
from ..hub.choice import model_files, quantisation
from ..shards import first_shard, shard_of


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The files of one model in order, without the parts whose numbers are `missing`."""

    shards: tuple[Path, ...]
    missing: tuple[int, ...] = ()

    @property
    def stem(self) -> str:
        """What its files are called, without ending and part number."""
        first = self.shards[0]
        shard = shard_of(first.name)
        return shard.prefix if shard else first.stem

    @property
    def quantisation(self) -> str:
        """What its name says of it, in capitals; nothing if it says nothing."""
        return quantisation(self.shards[0].name) or ""


def models_among(files: Iterable[Path]) -> list[ModelFiles]:
    """The models in `files`; a link to nothing is no file."""
    models: defaultdict[Path, list[Path]] = defaultdict(list)
    for file in files:
        first = first_shard(file.name)
        if model_files([first]) and os.path.isfile(file):  # noqa: PTH113 - raises nothing, unlike Path's
            models[file.parent / first].append(file)
    return [_joined(parts) for parts in models.values()]


def _joined(parts: list[Path]) -> ModelFiles:
    numbered = {shard.index: part for part in parts if (shard := shard_of(part.name))}
    if not numbered:
        return ModelFiles(tuple(parts))
    shard = shard_of(parts[0].name)
    assert shard is not None
    missing = tuple(index for index in range(1, shard.count + 1) if index not in numbered)
    return ModelFiles(tuple(numbered[index] for index in sorted(numbered)), missing)
