"""Where the memory goes that a target and its draft need, before either is loaded or fetched."""

from collections.abc import Sequence
from dataclasses import dataclass

from specchat.profiles.seen_model import SeenModel
from specchat.speculative.devices import Device
from specchat.speculative.footprint.memory import LoadedBy, ModelMemory, model_memory
from specchat.speculative.footprint.placing import Wanted
from specchat.speculative.footprint.plan import Plan, plan
from specchat.speculative.footprint.shape import ModelShape
from specchat.speculative.llama.pair_config import PairConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Reckoned:
    """A model, how it is loaded, and what it takes then."""

    shape: ModelShape
    loaded: LoadedBy
    memory: ModelMemory

    @property
    def buffers(self) -> int:
        """Bytes of what is computed with, in one place."""
        return self.memory.compute + self.memory.logits


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlan:
    """What both take; `plan` is None where it is not known what there is."""

    target: Reckoned
    draft: Reckoned | None
    plan: Plan | None

    @property
    def models(self) -> tuple[Reckoned, ...]:
        """Target and draft."""
        return (self.target, self.draft) if self.draft else (self.target,)

    @property
    def total(self) -> int:
        """The bytes of both in one place."""
        return sum(each.memory.weights + each.memory.cache + each.buffers for each in self.models)


def memory_plan(
    target: SeenModel, draft: SeenModel | None, config: PairConfig, devices: Sequence[Device]
) -> MemoryPlan | None:
    """The plan for models that are loaded as `config` has it; None where a header leaves out what that depends on.

    Raises what reading the headers of further files does.
    """
    shape = target.shape()
    if shape is None:
        return None
    answering = reckoned_target(shape, config)
    guessing = _reckoned_draft(draft, config, answering.loaded.context) if draft else None
    found = plan(Wanted(memory=answering.memory), Wanted(memory=guessing.memory) if guessing else None, devices)
    return MemoryPlan(target=answering, draft=guessing, plan=found)


def reckoned_target(shape: ModelShape, config: PairConfig) -> Reckoned:
    """What a target of this shape takes."""
    loaded = config.target_settings.loaded_by(shape.trained_context)
    return Reckoned(shape=shape, loaded=loaded, memory=model_memory(shape, loaded))


def _reckoned_draft(draft: SeenModel, config: PairConfig, context: int) -> Reckoned | None:
    shape = draft.shape()
    if shape is None:
        return None
    loaded = config.draft_settings(context).loaded_by(shape.trained_context)
    return Reckoned(shape=shape, loaded=loaded, memory=model_memory(shape, loaded))
