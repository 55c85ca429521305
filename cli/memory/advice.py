"""What to take where a model does not fit: a shorter context, or another quantisation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from specchat.profiles.gguf.quantisation import BITS
from specchat.profiles.hub.smaller import smaller_models
from specchat.profiles.resolve import Whereabouts
from specchat.profiles.sources import HubModel, ModelSource
from specchat.speculative.devices import Device
from specchat.speculative.footprint.shape import ModelShape
from specchat.speculative.llama.pair_config import PairConfig

from ..display.quantities import file_size
from .plan import MemoryPlan, memory_plan

_LEAST_CONTEXT = 4096
"""Tokens: with less there is little to chat about."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where a model is to go, and how it is loaded there."""

    config: PairConfig
    devices: Sequence[Device]

    def holds(self, shape: ModelShape, context: int | None = None) -> bool:
        """Whether there is room for a target of this shape, with so many tokens of context if they are given."""
        config = self.config
        if context is not None:
            config = replace(config, target_config=replace(config.target_config, n_ctx=context))
        found = memory_plan(shape, None, config, self.devices).plan
        return found is not None and found.fits


def advice(made: MemoryPlan, room: Room, source: ModelSource, where: Whereabouts) -> tuple[str, ...]:
    """What would fit instead, the least change first; nothing where all fits, or nothing would."""
    if made.plan is None or made.plan.fits:
        return ()
    if made.plan.target.fits:
        return ("another draft, or --draft ngram",)
    return (*_contexts(made, room), *_quantisations(made.target.shape, room, source, where))


def _contexts(made: MemoryPlan, room: Room) -> Iterator[str]:
    asked, usable = made.target.loaded.context, made.target.shape.usable_context
    context = usable if asked > usable else asked // 2
    while context >= _LEAST_CONTEXT:
        if room.holds(made.target.shape, context):
            yield f"-c {context}"
            return
        context //= 2


def _quantisations(shape: ModelShape, room: Room, source: ModelSource, where: Whereabouts) -> Iterator[str]:
    """The largest of the repository that fits; without one, what a quantisation may take at most."""
    listed = smaller_models(where.hub(), source, shape.weights) if isinstance(source, HubModel) else []
    for model in listed:
        if room.holds(shape.weighing(model.size)):
            yield f"{model.name} ({file_size(model.size)})"
            return
    for name, bits in BITS.items():
        size = round(shape.parameters * bits / 8)
        if size < shape.weights and room.holds(shape.weighing(size)):
            yield f"the model as {name} ({bits:.1f} bits a weight, about {file_size(size)})"
            return
