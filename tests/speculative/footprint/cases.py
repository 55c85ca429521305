"""Machines, pairs of models, and what is decided for them."""

from dataclasses import dataclass

from specchat.speculative.devices import Device
from specchat.speculative.footprint.context import longest_context
from specchat.speculative.footprint.memory import LoadedBy, model_memory
from specchat.speculative.footprint.placing import Wanted
from specchat.speculative.footprint.plan import Plan, plan
from specchat.speculative.footprint.shape import ModelShape

GIB = 1 << 30
_IN_USE = 0.3
"""GiB of a card that its driver and a context take."""


@dataclass(frozen=True)
class Machine:
    """GiB of main memory that are free, of each card, and of what shares main memory."""

    main: float
    cards: tuple[float, ...] = ()
    shared: float = 0.0

    @property
    def devices(self) -> tuple[Device, ...]:
        """As llama.cpp reports them."""
        cards = (_device(f"CUDA{place}", size, size - _IN_USE, "GPU") for place, size in enumerate(self.cards))
        shared = [_device("Vulkan0", self.shared, self.shared, "IGPU")] if self.shared else []
        return (_device("CPU", 1.2 * self.main, self.main, "CPU"), *cards, *shared)


@dataclass(frozen=True)
class Decided:
    """A context, and a plan."""

    context: int
    plan: Plan

    @property
    def told(self) -> str:
        """In a line: the context, layers of the target and of the draft, in main memory and on each device.

        Those whose experts main memory has, though they are on a device, are `apart`.
        """
        models = [_layers(model, len(self.plan.places)) for model in self.plan.models]
        words = "" if self.plan.draft is None else "drafts" if self.plan.suits_draft else "n-grams"
        slow = f", {self.plan.slowdown:.2f} x" if self.plan.slowdown > 1 else ""
        room = "" if self.plan.fits else ", does not fit"
        return f"{self.context // 1024}k {' | '.join(models)} {words}".rstrip() + slow + room


def _layers(model, n_places: int) -> str:
    counts = [sum(count for place, count in model.runs if place == each) for each in range(1, n_places)]
    apart = f" ({model.apart} apart)" if model.apart else ""
    return "+".join(map(str, [model.layers - sum(counts), *counts])) + apart


def _device(name: str, total: float, free: float, kind: str) -> Device:
    return Device(name, name, round(free * GIB), round(total * GIB), kind)


def decided(
    machine: Machine, target: ModelShape, draft: ModelShape | None = None, context: int | None = None, gain: float = 1.0
) -> Decided:
    """What is decided where nothing but a context was asked for."""

    def at(tokens: int) -> Wanted:
        return Wanted(memory=model_memory(target, LoadedBy(context=tokens, rows=17)))

    context = context or longest_context(at, target.trained_context, machine.devices)
    guessing = Wanted(memory=model_memory(draft, LoadedBy(context=context))) if draft else None
    found = plan(at(context), guessing, machine.devices, gain=gain)
    assert found is not None
    return Decided(context, found)
