"""Models that cannot fit the memory of this machine, told before they are loaded."""

from collections.abc import Sequence
from pathlib import Path

from specchat.profiles.paths import is_file
from specchat.profiles.shards import all_parts
from specchat.speculative.devices import Device, taking_layers
from specchat.speculative.errors import SpecchatError
from specchat.speculative.llama.pair_config import PairConfig

from .quantities import file_size

_FAR_LESS = 4
"""Files that take at most this part of the memory are not even looked into: that would cost each start a moment, and
so would importing what looks.
"""


def too_large(config: PairConfig, devices: Sequence[Device]) -> str | None:
    """A sentence about models that need more than all main memory, where nothing else holds them.

    What is wrong with a file is no business of this: loading it will say so.
    """
    main = next((device.total for device in devices if device.kind == "CPU"), 0)
    files = [config.target, *([config.draft] if isinstance(config.draft, Path) else [])]
    elsewhere = any(not device.shares_memory for device in taking_layers(devices))
    if not main or elsewhere or _FAR_LESS * sum(map(_size, files)) <= main:
        return None
    needed = _needed(config, files, devices)
    if needed is None or needed <= main:
        return None
    names = " and ".join(file.name for file in files)
    return (
        f"{names} {'need' if files[1:] else 'needs'} about {file_size(needed)} of memory, and this machine has "
        f"{file_size(main)}: what has no room is read from the disk again for each token. "
        "specchat show says what would fit."
    )


def _needed(config: PairConfig, files: Sequence[Path], devices: Sequence[Device]) -> int | None:
    """The bytes that the models in these files take, target first; None where that is not known."""
    from specchat.profiles.seen_model import see_file

    from .memory_plan import memory_plan

    try:
        target, *draft = map(see_file, files)
        made = memory_plan(target, draft[0] if draft else None, config, devices)
    except SpecchatError:
        return None
    return made.total if made else None


def _size(file: Path) -> int:
    parts = [file.with_name(part) for part in all_parts(file.name)]
    return sum(part.stat().st_size for part in parts if is_file(part))
