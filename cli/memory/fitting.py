"""What nobody asked for is decided before models are loaded: the context, and which layers go where."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from specchat.profiles.paths import is_file
from specchat.profiles.shards import all_parts
from specchat.speculative.devices import Device, reached
from specchat.speculative.errors import UsageError
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.takers import takers

from ..environment import Environment
from .shapes import stored_shape

if TYPE_CHECKING:
    from specchat.speculative.footprint.shape import ModelShape

    from .plan import MemoryPlan

_FAR_LESS = 4
"""Files that take at most this part of the memory are not even looked into: that would cost each start a moment."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """Settings with all decided for these devices, and the plan behind them.

    That is None where there was nothing to decide, or no way to.
    """

    config: PairConfig
    devices: Sequence[Device]
    made: "MemoryPlan | None" = None


def fitted(env: Environment, config: PairConfig) -> Fitted:
    """The settings of `config`, decided for this machine as it is now. Reads headers only if something is open.

    What is wrong with a file or with names of devices is no business of this: loading it will say so. Raises
    `ServerError` where another machine that was named cannot be reached.
    """
    config = config.unfitted
    devices = reached_devices(env, config.target_config)
    draft = config.draft if isinstance(config.draft, Path) else None
    try:
        placeable = bool(takers(config.target_config, devices) + takers(config.draft_config, devices))
    except UsageError:
        return Fitted(config, devices)
    crowded = _is_crowded([config.target, *([draft] if draft else [])], devices)
    if not (placeable or crowded or config.target_config.n_ctx is None):
        return Fitted(config, devices)
    target_shape = stored_shape(env, config.target)
    if target_shape is None:
        return Fitted(config, devices)
    from .plan import memory_plan

    draft_shape = stored_shape(env, draft) if draft and (placeable or crowded) else None
    gain = known_gain(env, config.target, draft) if draft and placeable else 1.0
    made = memory_plan(target_shape, draft_shape, config, devices, gain)
    return Fitted(made.applied(config), devices, made)


def reached_devices(env: Environment, target: LlamaConfig) -> tuple[Device, ...]:
    """What there is now for a target that is loaded like this. Raises `ServerError` where a server is not reached."""
    if target.rpc:
        env.reach(target.rpc)
    return reached(env.devices(), target.rpc)


def has_room(env: Environment, config: PairConfig, draft: Path) -> bool:
    """Whether a `draft` that nobody named is where it can draft fast, with nothing of the target giving way.

    Layers and experts give way to what was measured to outweigh them.
    """
    made = fitted(env, replace(config, draft=draft)).made
    return made is None or _suits(made)


def would_have_room(env: Environment, config: PairConfig, draft: "ModelShape") -> bool:
    """The same of a model that is not on this machine, where nothing was measured of it. Raises what `fitted` does."""
    from .plan import memory_plan

    config = config.unfitted
    target = stored_shape(env, config.target)
    return target is None or _suits(memory_plan(target, draft, config, reached_devices(env, config.target_config)))


def _suits(made: "MemoryPlan") -> bool:
    return made.plan is None or made.draft is None or made.plan.suits_draft


def known_gain(env: Environment, target: Path, draft: Path) -> float:
    """How many times as fast as n-grams, or plain decoding, a draft was measured to be at least; 1 if it was not."""
    from ..models.gains import known_gains

    gains = known_gains(env)
    measured, ngrams = gains.of(target, draft), gains.of(target, "ngram")
    if measured is None or measured.interval is None:
        return 1.0
    return measured.interval[0] / max(1.0, ngrams.speedup if ngrams else 1.0)


def _is_crowded(files: Sequence[Path], devices: Sequence[Device]) -> bool:
    """Whether models in these files take more than a small part of main memory, as far as both are known."""
    main = next((device.free for device in devices if device.kind == "CPU"), 0)
    return 0 < main < _FAR_LESS * sum(map(_size, files))


def _size(file: Path) -> int:
    parts = [file.with_name(part) for part in all_parts(file.name)]
    return sum(part.stat().st_size for part in parts if is_file(part))
