"""Where the memory goes that a target and its draft need, before either is loaded or fetched."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from specchat.speculative.devices import Device, reached, taking_layers
from specchat.speculative.footprint.context import longest_context
from specchat.speculative.footprint.memory import LoadedBy, ModelMemory, model_memory
from specchat.speculative.footprint.placing import Placed, Wanted
from specchat.speculative.footprint.plan import Plan, plan
from specchat.speculative.footprint.shape import ModelShape
from specchat.speculative.llama.config import LlamaConfig
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
    """What both take with so many tokens of `context`; `plan` is None where it is not known what there is."""

    context: int
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

    def applied(self, config: PairConfig) -> PairConfig:
        """The settings of `config`, with all that they left open decided like this."""
        target = replace(config.target_config, n_ctx=self.context)
        if self.plan is None:
            return config.fitted(target, config.draft_config, {})
        places, draft = self.plan.places, config.draft_config
        return config.fitted(
            _placed_by(target, self.plan.target, places),
            _placed_by(draft, self.plan.draft, places) if self.plan.draft else draft,
            {device.name: self.plan.needed(place) for place, device in enumerate(places)},
            self.plan.slowdown,
        )


def memory_plan(
    target: ModelShape, draft: ModelShape | None, config: PairConfig, devices: Sequence[Device], gain: float = 1.0
) -> MemoryPlan:
    """The plan for models of these shapes where they are loaded as `config` has it, and fit finds what it leaves open.

    The draft was measured to make answers `gain` times as fast; with 1, nothing of the target ever gives way to it.
    """
    devices = reached(devices, config.target_config.rpc)
    context = _context(target, config, devices)
    answering = _reckoned(target, replace(config.target_settings, n_ctx=context), config.contexts)
    guessing = _reckoned(draft, config.draft_settings(context)) if draft else None
    found = plan(
        _wanted(answering.memory, config.target_config),
        _wanted(guessing.memory, _staying_here(config.draft_config, devices)) if guessing else None,
        devices,
        gain=gain,
    )
    return MemoryPlan(context=context, target=answering, draft=guessing, plan=found)


def _context(shape: ModelShape, config: PairConfig, devices: Sequence[Device]) -> int:
    """The tokens that were asked for, or else the longest context that costs no layer and no experts on devices."""
    asked = config.target_config
    if asked.n_ctx is not None:
        return asked.context(shape.trained_context)

    def wanted_at(context: int) -> Wanted:
        return _wanted(_reckoned(shape, replace(asked, n_ctx=context), config.contexts).memory, asked)

    return longest_context(wanted_at, shape.trained_context, devices)


def _reckoned(shape: ModelShape, config: LlamaConfig, contexts: int = 1) -> Reckoned:
    loaded = config.loaded_by(shape.trained_context)
    return Reckoned(shape=shape, loaded=loaded, memory=model_memory(shape, loaded).with_contexts(contexts))


def _staying_here(config: LlamaConfig, devices: Sequence[Device]) -> LlamaConfig:
    """The same with the devices of this machine named, where none are."""
    if config.devices is not None:
        return config
    return replace(config, devices=tuple(each.name for each in taking_layers(reached(devices, ()))))


def _wanted(memory: ModelMemory, config: LlamaConfig) -> Wanted:
    return Wanted(
        memory=memory,
        layers=config.n_gpu_layers,
        experts=config.cpu_moe,
        parts=config.tensor_split,
        devices=config.devices,
    )


def _placed_by(config: LlamaConfig, placed: Placed, places: Sequence[Device]) -> LlamaConfig:
    """The same, on the devices that it was placed on, and with the layers of each as its split.

    Without a split llama.cpp would go by what is free then, and divide by zero where that is nothing.
    """
    if not placed.runs:
        return replace(config, n_gpu_layers=0) if len(places) > 1 else config
    return replace(
        config,
        n_gpu_layers=placed.on_devices,
        cpu_moe=placed.experts,
        devices=tuple(places[place].name for place, _ in placed.runs),
        tensor_split=tuple(float(count) for _, count in placed.runs),
    )
