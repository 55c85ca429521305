"""Where the layers of one model go: as many on devices as these hold, or what was asked for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..devices import Device, taking_layers
from .memory import ModelMemory
from .spread import Runs, Share, buffers, reader, split, spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A model that is to be placed, and what was asked for.

    So many of its `layers` on devices, -1 being all; None leaves that open. `parts` say how these are split, else that
    is open too. Only the `devices` of these names take any; None are those that llama.cpp would take.
    """

    memory: ModelMemory
    layers: int | None = None
    parts: tuple[float, ...] = ()
    devices: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """One model: its `layers`, the output among them, those on devices by `runs`, and its shares of all places.

    `behind` are the bytes of the layers that main memory computes; with no device to go to it is not `placeable`. Where
    it does not `fit`, that is how it would be nevertheless.
    """

    layers: int
    runs: Runs
    shares: tuple[Share, ...]
    behind: int
    placeable: bool
    fits: bool

    @property
    def on_devices(self) -> int:
        """How many layers devices have."""
        return sum(count for _, count in self.runs)

    @property
    def whole(self) -> bool:
        """Whether devices have all layers."""
        return self.on_devices == self.layers

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
        _placed(wanted.memory, runs, places, room, bool(usable)) for runs in _ways(wanted, usable, places, free, room)
    )
    first = next(ways)
    return first if first.fits else next((way for way in ways if way.fits), first)


def needed(shares: Sequence[Share], places: Sequence[Device]) -> tuple[int, ...]:
    """What each place has to hold: main memory also what devices hold that share it."""
    main, *others = (share.total for share in shares)
    shared = sum(need for need, place in zip(others, places[1:], strict=True) if place.shares_memory)
    return (main + shared, *others)


def _placed(model: ModelMemory, runs: Runs, places: Sequence[Device], room: Sequence[int], placeable: bool) -> Placed:
    shares = spread(model, runs, places)
    behind = sum(layer.weights for layer in model.layers[: len(model.layers) - sum(count for _, count in runs)])
    fits = all(need <= have for need, have in zip(needed(shares, places), room, strict=True))
    return Placed(len(model.layers), tuple(runs), shares, behind, placeable, fits)


def _ways(
    wanted: Wanted, usable: Sequence[int], places: Sequence[Device], free: Sequence[int], room: Sequence[int]
) -> Iterator[Runs]:
    """The ways to place it on the `usable` devices, the best first; at least one."""
    model = wanted.memory
    most = len(model.layers) if usable else 0
    asked = most if wanted.layers == -1 else wanted.layers
    counts = range(most, -1, -1) if asked is None else [min(asked, most)]
    if wanted.parts:
        parts = [*wanted.parts, *[0.0] * len(usable)][: len(usable)]
        yield from (_of_counts(usable, split(parts, count)) for count in counts)
        return
    by_room = sorted(usable, key=lambda place: (places[place].is_remote, -room[place]))
    for count in counts:
        for n_devices in range(1, len(usable) + 1):
            chosen = [place for place in usable if place in by_room[:n_devices]]
            if (runs := _filled(model, count, chosen, places, room)) is not None:
                yield runs
    yield _of_counts(usable, split([free[place] for place in usable], counts[0])) if asked else ()


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
