"""Where the layers of one model go: as many on devices as these hold, or what was asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..devices import Device, taking_layers
from .memory import ModelMemory
from .spread import Runs, Share, buffers, reader, split, spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A model that is to be placed, and what was asked for.

    So many of its `layers` on devices, -1 being all; None leaves that open. The `experts` of so many of the first
    layers in main memory, -1 being all; None leaves that open, too. `parts` say how the layers are split, else that is
    open as well. Only the `devices` of these names take any; None are those that llama.cpp would take.
    """

    memory: ModelMemory
    layers: int | None = None
    experts: int | None = None
    parts: tuple[float, ...] = ()
    devices: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """One model: its `layers`, the output among them, those on devices by `runs`, and its shares of all places.

    The `experts` of so many of the first layers are in main memory. A token goes through so many bytes there, `behind`,
    and through so many on devices, `ahead` of them. With no device to go to it is not `placeable`. Where it does not
    `fit`, that is how it would be nevertheless.
    """

    layers: int
    runs: Runs
    experts: int
    shares: tuple[Share, ...]
    behind: int
    ahead: int
    placeable: bool
    fits: bool

    @property
    def on_devices(self) -> int:
        """How many layers devices have."""
        return sum(count for _, count in self.runs)

    @property
    def whole(self) -> bool:
        """Whether devices have all layers, with their experts."""
        return self.on_devices == self.layers and not self.apart

    @property
    def apart(self) -> int:
        """How many layers are on devices without their experts."""
        return max(0, self.experts - (self.layers - self.on_devices))

    @property
    def total(self) -> int:
        """Bytes, wherever."""
        return sum(share.total for share in self.shares)


def place(wanted: Wanted, places: Sequence[Device], free: Sequence[int], margin: int) -> Placed:
    """The most layers on as few devices as it takes, those of this machine first, then those with the most room.

    Main memory is the first of the places. `margin` of the `free` bytes of each place stay free. Where no way fits, it
    is the first that fits the devices at least, or that was asked for.
    """
    room = [max(0, have - margin) for have in free]
    usable = usable_places(wanted, places)
    ways = (
        _placed(wanted.memory, runs, experts, places, room, bool(usable))
        for runs, experts in _ways(wanted, usable, places, free, room)
    )
    first = next(ways)
    return first if first.fits else next((way for way in ways if way.fits), first)


def needed(shares: Sequence[Share], places: Sequence[Device]) -> tuple[int, ...]:
    """What each place has to hold: main memory also what devices hold that share it."""
    main, *others = (share.total for share in shares)
    shared = sum(need for need, place in zip(others, places[1:], strict=True) if place.shares_memory)
    return (main + shared, *others)


def _placed(
    model: ModelMemory, runs: Runs, experts: int, places: Sequence[Device], room: Sequence[int], placeable: bool
) -> Placed:
    experts = experts if runs else 0
    parted = model.keeping_experts(experts)
    shares = spread(parted, runs, places)
    first = len(model.layers) - sum(count for _, count in runs)
    ahead = sum(layer.read for layer in parted.layers[first:])
    return Placed(
        layers=len(model.layers),
        runs=tuple(runs),
        experts=experts,
        shares=shares,
        behind=sum(layer.read for layer in model.layers) - ahead,
        ahead=ahead + (model.copied if runs else 0),
        placeable=placeable,
        fits=all(need <= have for need, have in zip(needed(shares, places), room, strict=True)),
    )


def _ways(
    wanted: Wanted, usable: Sequence[int], places: Sequence[Device], free: Sequence[int], room: Sequence[int]
) -> Iterator[tuple[Runs, int]]:
    """The ways to place it on the `usable` devices, the best first; at least one.

    With each, the experts of so many layers stay in main memory.
    """
    counts = list(_counts(wanted, len(wanted.memory.layers) if usable else 0))
    if wanted.parts:
        parts = [*wanted.parts, *[0.0] * len(usable)][: len(usable)]
        yield from ((_of_counts(usable, split(parts, count)), experts) for count, experts in counts)
        return
    by_room = sorted(usable, key=lambda place: (places[place].is_remote, -room[place]))
    for count, experts in counts:
        model = wanted.memory.keeping_experts(experts)
        for n_devices in range(1, len(usable) + 1):
            chosen = [place for place in usable if place in by_room[:n_devices]]
            if (runs := _filled(model, count, chosen, places, room)) is not None:
                yield runs, experts
    count, experts = counts[0]
    yield (_of_counts(usable, split([free[place] for place in usable], count)) if wanted.layers else (), experts)


def _counts(wanted: Wanted, most: int) -> Iterator[tuple[int, int]]:
    """How many layers devices get, at `most` so many, and of how many of the first the experts stay in main memory."""
    all_experts, asked = wanted.memory.layers_to_experts, wanted.experts or 0
    layers = most if wanted.layers is None or wanted.layers < 0 else min(wanted.layers, most)
    experts = all_experts if asked < 0 else min(asked, all_experts)
    if wanted.experts is None and layers:
        yield from ((layers, kept) for kept in range(all_experts))
        experts = all_experts
    yield from ((count, experts) for count in range(layers, -1 if wanted.layers is None else layers - 1, -1))


def usable_places(wanted: Wanted, places: Sequence[Device]) -> list[int]:
    """The places of the devices that may take layers, in the order in which they do."""
    if wanted.devices is None:
        taking = taking_layers(places)
        return [place for place, device in enumerate(places) if device in taking]
    names = [device.name.casefold() for device in places]
    return [names.index(name.casefold()) for name in wanted.devices if name.casefold() in names]


def _of_counts(usable: Sequence[int], counts: Sequence[int]) -> Runs:
    return tuple((place, count) for place, count in zip(usable, counts, strict=True) if count)


def _filled(
    model: ModelMemory, count: int, chosen: Sequence[int], places: Sequence[Device], room: Sequence[int]
) -> Runs | None:
    """The last `count` layers, as many on each of the devices as it has room for; None where that leaves some over."""
    sizes = [layer.weights + layer.cache for layer in model.layers[len(model.layers) - count :]]
    sizes[-1:] = [size + model.copied for size in sizes[-1:]]
    runs: list[tuple[int, int]] = []
    begin = 0
    for place in chosen:
        reads = reader([*(taking for taking, _ in runs), place], places) == place
        left = room[place] - buffers(model, count, reads=reads, alone=len(chosen) == 1)
        end = begin
        while end < count and sizes[end] <= left:
            left -= sizes[end]
            end += 1
        if end > begin:
            runs.append((place, end - begin))
        begin = end
    return tuple(runs) if begin == count else None
