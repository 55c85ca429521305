"""What `specchat show` plans for the memory: as `specchat run` would load a model, before that loads or fetches it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from specchat.profiles.names import parse_model
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.seen_model import SeenModel
from specchat.profiles.settings import Layer, Settings
from specchat.speculative.llama.pair_config import PairConfig

from ..environment import Environment
from ..flags import SPELLED
from ..memory.advice import Machine, advice
from ..memory.fitting import known_gain
from ..memory.plan import MemoryPlan, memory_plan
from ..memory.rows import memory_content, memory_rows
from ..models.whereabouts import source_of
from ..precedence import asked
from ..request import with_settings
from .show import ShowOptions

_LOADING = ("context", "flash_attention", "cache_type_k", "cache_type_v")
"""The options that decide how much memory is needed, by the settings that they make."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan, None where a header does not say enough, and what to take instead."""

    made: MemoryPlan | None
    instead: Sequence[str]

    @property
    def rows(self) -> list[tuple[str, str]]:
        """On a screen."""
        return memory_rows(self.made, self.instead)

    @property
    def content(self) -> dict[str, Any] | None:
        """As JSON."""
        return memory_content(self.made, self.instead)


def shown_memory(
    env: Environment, options: ShowOptions, target: SeenModel, draft: SeenModel | None, where: Whereabouts
) -> Shown:
    """The plan for both. Raises `UsageError` for settings that contradict each other, and what reading headers does."""
    settings = asked(env, _as_of_a_run(env, options), None).settings
    config = with_settings(PairConfig(target=target.path, draft=draft.path if draft else "ngram"), settings)
    machine = Machine(config, env.devices())
    target_shape, draft_shape = target.shape(), draft.shape() if draft else None
    if target_shape is None:
        return Shown(None, ())
    gain = known_gain(env, target.path, draft.path) if draft else 1.0
    made = memory_plan(target_shape, draft_shape, config, machine.devices, gain)
    return Shown(made, advice(made, machine, source_of(env, options.model), where))


def _as_of_a_run(env: Environment, options: ShowOptions) -> Layer:
    """The options as those of a run of this model, whose profile may have more to say."""
    said = {name: value for name in _LOADING if (value := getattr(options, name)) is not None}
    origins = {name: SPELLED[name] for name in said}
    return Layer(Settings(target=parse_model(options.model, mirror=env.mirror), **said), {**origins, "target": "MODEL"})
