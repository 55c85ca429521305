"""Which files are models, which of them are parts of one, and what their names say."""

import os
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})", re.IGNORECASE)
_QUANTISATION = re.compile(
    r"(?:^|[-._])((?:UD-)?(?:I?Q\d+(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|F16|F32|MXFP4(?:_MOE)?|NVFP4))$", re.IGNORECASE
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
    """The models in `files`, split ones put together; a link to nothing is no file."""
    whole: list[ModelFiles] = []
    parts: defaultdict[tuple[Path, str, int], dict[int, Path]] = defaultdict(dict)
    for file in files:
        if not is_model_name(file.name) or not os.path.isfile(file):  # noqa: PTH113 - raises nothing, unlike Path's
            continue
        match = _SHARD.fullmatch(file.stem)
        if match:
            parts[file.parent, match["stem"], int(match["count"])][int(match["number"])] = file
        else:
            whole.append(ModelFiles(file.stem, (file,)))
    joined = [_joined(stem, count, numbered) for (_, stem, count), numbered in parts.items()]
    return whole + [each for each in joined if each.shards]


def _joined(stem: str, count: int, numbered: dict[int, Path]) -> ModelFiles:
    expected = range(1, count + 1)
    there = tuple(numbered[number] for number in expected if number in numbered)
    return ModelFiles(stem, there, tuple(number for number in expected if number not in numbered))
