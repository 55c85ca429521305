"""What `specchat show` plans for the memory: as `specchat run` would load a model, before that loads or fetches it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from specchat.profiles.names import parse_model
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.seen_model import SeenModel, see_file
from specchat.profiles.settings import Layer
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.takers import takers

from ..environment import Environment
from ..flags import placing_settings, spelled_layer
from ..memory.advice import Room, advice
from ..memory.fitting import known_gain, reached_devices
from ..memory.plan import MemoryPlan, memory_plan
from ..memory.rows import memory_content, memory_rows
from ..memory.unheeded import unheeded
from ..models.auto_draft import with_draft
from ..models.whereabouts import see_named, source_of
from ..options.placing import PlacingOptions
from ..precedence import asked
from ..request import with_settings
from .show import ShowOptions


@dataclass(frozen=True, slots=True)
class Shown:
    """A plan, None where a header does not say enough, what to take instead, and what was `unheeded`."""

    made: MemoryPlan | None
    instead: Sequence[str]
    unheeded: Sequence[str]

    @property
    def rows(self) -> list[tuple[str, str]]:
        """On a screen."""
        return memory_rows(self.made, self.instead)

    @property
    def content(self) -> dict[str, Any] | None:
        """As JSON."""
        return memory_content(self.made, self.instead)


def shown_draft(
    env: Environment, options: ShowOptions, placing: PlacingOptions, target: SeenModel, where: Whereabouts
) -> SeenModel | None:
    """The model that would draft in a run, if `options` ask for one; with "auto" the one that is found here.

    Raises what finding a model that is named and reading its header do.
    """
    match options.draft:
        case None | "ngram" | "none":
            return None
        case "auto":
            found = with_draft(env, _config(env, options, placing, target), "auto", where, quiet=True).draft
            return see_file(found) if isinstance(found, Path) else None
        case named:
            return see_named(env, named, where)


def shown_memory(
    env: Environment,
    options: ShowOptions,
    placing: PlacingOptions,
    target: SeenModel,
    draft: SeenModel | None,
    where: Whereabouts,
) -> Shown:
    """The plan for both.

    Raises `UsageError` for settings that contradict each other or the devices, `ServerError` where another machine that
    was named cannot be reached, and what reading headers does.
    """
    config = _config(env, options, placing, target)
    config = replace(config, draft=draft.path) if draft else config
    room = Room(config, reached_devices(env, config.target_config))
    for each in (config.target_config, config.draft_config):
        takers(each, room.devices)  # raises what a run would of devices that are not there
    target_shape, draft_shape = target.shape(), draft.shape() if draft else None
    odd = tuple(unheeded(config, room.devices, lambda: target_shape))
    if target_shape is None:
        return Shown(None, (), odd)
    gain = known_gain(env, target.path, draft.path) if draft else 1.0
    made = memory_plan(target_shape, draft_shape, config, room.devices, gain)
    return Shown(made, advice(made, room, source_of(env, options.model), where), odd)


def _config(env: Environment, options: ShowOptions, placing: PlacingOptions, target: SeenModel) -> PairConfig:
    """How the target would be loaded, with no draft model."""
    settings = asked(env, _as_of_a_run(env, options, placing), None).settings
    return with_settings(PairConfig(target=target.path, draft="none" if options.draft == "none" else "ngram"), settings)


def _as_of_a_run(env: Environment, options: ShowOptions, placing: PlacingOptions) -> Layer:
    """The options as those of a run of this model, whose profile may have more to say."""
    model = parse_model(options.model, mirror=env.mirror)
    layer = spelled_layer(replace(placing_settings(placing), target=model), placing)
    return replace(layer, origins={**layer.origins, "target": "MODEL"})
