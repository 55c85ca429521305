"""Which layers of a target and its draft go where, so that all fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..devices import Device, taking_layers
from .placing import Placed, Wanted, needed, place, usable_places

MARGIN = 1 << 30
"""Bytes of each device that stay free, as llama.cpp leaves them (`fit_params_target` in common/common.h)."""
_SLOWER = 10
"""Times as long as a device takes main memory for a layer: the ratio of their bandwidths, 6 to 12 in most machines."""
_BETTER = 1.05
"""By so much a draft has to win for layers or experts of its target to give way."""
_SMALL = 3
"""Beside layers of a target in main memory, those of a draft take at most one byte for so many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where two models go. The first of the `places` is main memory, the others are devices that layers go to.

    Where layers or experts of the target give way to the draft, plain passes are reckoned to take `slowdown` times as
    long.
    """

    places: tuple[Device, ...]
    target: Placed
    draft: Placed | None
    slowdown: float = 1.0

    @property
    def fits(self) -> bool:
        """Whether there is room for all of it."""
        return self.target.fits and (self.draft is None or self.draft.fits)

    @property
    def models(self) -> tuple[Placed, ...]:
        """Target and draft."""
        return (self.target, self.draft) if self.draft else (self.target,)

    @property
    def suits_draft(self) -> bool:
        """Whether the draft is where it can draft fast: on devices if it may, or beside layers that dwarf it."""
        draft = self.draft
        if draft is None or not draft.fits:
            return False
        return draft.whole or not draft.placeable or _SMALL * draft.behind <= self.target.behind

    def needed(self, place: int) -> int:
        """The bytes that all models take at one of the places."""
        return sum(needed(model.shares, self.places)[place] for model in self.models)


def plan(
    target: Wanted, draft: Wanted | None, devices: Sequence[Device], margin: int = MARGIN, gain: float = 1.0
) -> Plan | None:
    """As many layers on devices as fit, first those of the target: a draft takes what that leaves.

    Before a layer stays off the devices, the experts of others do, which are the larger part of a mixture of experts
    and less at work: `common_fit_params` of llama.cpp has it so.

    Only if the draft was measured to make answers `gain` times as fast, and that outweighs it, layers or experts of the
    target give way. `margin` bytes stay free everywhere. None where main memory is not known.
    """
    places = _places(devices, [target, *([draft] if draft else [])])
    if places is None:
        return None
    free = [each.free for each in places]
    alone = place(target, places, free, margin)
    if draft is None:
        return Plan(places, alone, None)
    beside = Plan(places, alone, place(draft, places, _left(free, alone, places), margin))
    if beside.suits_draft or gain <= _BETTER or draft.layers is not None:
        return beside
    giving_way = min(_giving_way(target, draft, beside, margin), key=lambda each: each.slowdown, default=beside)
    return giving_way if gain >= _BETTER * giving_way.slowdown else beside


def _places(devices: Sequence[Device], models: Sequence[Wanted]) -> tuple[Device, ...] | None:
    """Main memory, and the devices that take layers, or were named for that."""
    main = next((device for device in devices if device.kind == "CPU"), None)
    if main is None or not main.total:
        return None
    named = {name.casefold() for model in models for name in model.devices or ()}
    taking = taking_layers(devices) if any(model.devices is None for model in models) else ()
    others = [device for device in devices if device.kind != "CPU"]
    return (main, *(each for each in others if each in taking or each.name.casefold() in named))


def _left(free: Sequence[int], placed: Placed, places: Sequence[Device]) -> list[int]:
    return [max(0, have - need) for have, need in zip(free, needed(placed.shares, places), strict=True)]


def _giving_way(target: Wanted, draft: Wanted, beside: Plan, margin: int) -> Iterator[Plan]:
    """The draft on one of the devices, the target where there is room then; none where that would not go."""
    places, free = beside.places, [each.free for each in beside.places]
    for device in (places[each] for each in usable_places(draft, places)):
        first = place(replace(draft, devices=(device.name,)), places, free, margin)
        if not (first.fits and first.whole):
            continue
        then = place(target, places, _left(free, first, places), margin)
        if then.fits:
            yield Plan(places, then, first, _pass(then) / _pass(beside.target))


def _pass(target: Placed) -> float:
    """What a pass over a token takes, in bytes that a device reads."""
    return target.ahead + _SLOWER * target.behind
