"""Which layers of a target and its draft go where, so that all fits."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..devices import Device, taking_layers
from .memory import ModelMemory
from .spread import Share, spread

MARGIN = 1 << 30
"""Bytes of each device that stay free, as llama.cpp leaves them (`fit_params_target` in common/common.h)."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One model: `on_devices` of its `layers`, the output among them, and its shares of all places of a plan.

    Where it does not `fit`, that is how it would be with as many layers on devices as these hold.
    """

    layers: int
    on_devices: int
    shares: tuple[Share, ...]
    fits: bool

    @property
    def total(self) -> int:
        """Bytes, wherever."""
        return sum(share.total for share in self.shares)


@dataclass(frozen=True, slots=True)
class Plan:
    """Where two models go. The first of the `places` is main memory, the others are devices that layers go to."""

    places: tuple[Device, ...]
    target: Placed
    draft: Placed | None

    @property
    def fits(self) -> bool:
        """Whether there is room for all of it."""
        return self.target.fits and (self.draft is None or self.draft.fits)

    @property
    def models(self) -> tuple[Placed, ...]:
        """Target and draft."""
        return (self.target, self.draft) if self.draft else (self.target,)

    def needed(self, place: int) -> int:
        """The bytes that all models take at one of the places."""
        return sum(_needed(model.shares, self.places)[place] for model in self.models)


def plan(
    target: ModelMemory, draft: ModelMemory | None, devices: Sequence[Device], margin: int = MARGIN
) -> Plan | None:
    """As many layers on devices as fit, first those of the target: a draft takes what that leaves.

    `margin` bytes stay free everywhere. None where main memory is not known.
    """
    main = next((device for device in devices if device.kind == "CPU"), None)
    if main is None or not main.total:
        return None
    places = (main, *taking_layers(devices))
    free = [place.free for place in places]
    placed = _placed(target, places, free, margin)
    left = [max(0, have - need) for have, need in zip(free, _needed(placed.shares, places), strict=True)]
    return Plan(places, placed, _placed(draft, places, left, margin) if draft else None)


def _placed(model: ModelMemory, places: Sequence[Device], free: Sequence[int], margin: int) -> Placed:
    """The most layers on devices that fit; else the most that fit these, whatever main memory holds."""
    room = [max(0, have - margin) for have in free]
    most, fallback = len(model.layers) if len(places) > 1 else 0, None
    for n_layers in range(most, -1, -1):
        shares = spread(model, n_layers, free[1:])
        fits = [need <= have for need, have in zip(_needed(shares, places), room, strict=True)]
        placed = Placed(len(model.layers), n_layers, shares, all(fits))
        if placed.fits:
            return placed
        fallback = fallback or (placed if all(fits[1:]) else None)
    assert fallback is not None
    return fallback


def _needed(shares: Sequence[Share], places: Sequence[Device]) -> tuple[int, ...]:
    """What each place has to hold: main memory also what devices hold that share it."""
    main, *others = (share.total for share in shares)
    shared = sum(need for need, place in zip(others, places[1:], strict=True) if place.shares_memory)
    return (main + shared, *others)
