"""Where the parts of one model lie when so many of its layers are put on devices, as llama.cpp puts them there."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..devices import Device
from .memory import ModelMemory

_COPIES = 4
"""Of what goes into a graph where several devices take turns (`GGML_SCHED_MAX_COPIES`)."""

Runs = Sequence[tuple[int, int]]
"""Layers by devices: the place of a device, from 1 on, and how many come next there. The last one is the output."""


@dataclass(frozen=True, slots=True)
class Share:
    """Bytes of one model in one place."""

    weights: int = 0
    cache: int = 0
    compute: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.weights + self.cache + self.compute


def split(parts: Sequence[float], n_layers: int) -> tuple[int, ...]:
    """How many of the layers each device gets by its part of them: llama_model_base::load_tensors.

    Where no part is above 0, the first gets all. Without devices there is nobody to get any.
    """
    ends = list(accumulate(parts))
    bounds = [end / ends[-1] for end in ends] if any(parts) else []
    places = [bisect_right(bounds, layer / n_layers) for layer in range(n_layers)]
    return tuple(places.count(place) for place in range(len(parts)))


def spread(model: ModelMemory, runs: Runs, places: Sequence[Device]) -> tuple[Share, ...]:
    """The shares of all `places`, of which main memory is the first; it has the layers before those of the `runs`."""
    first = len(model.layers) - sum(count for _, count in runs)
    taking = [0] * first + [place for place, count in runs for _ in range(count)]
    reading = reader([place for place, _ in runs], places)
    return tuple(_share(model, runs, taking, place, place == reading) for place in range(len(places)))


def reader(taking: Sequence[int], places: Sequence[Device]) -> int | None:
    """Which of the places that are `taking` layers also reads long texts for main memory: the first of this machine.

    The weights are brought there layer by layer (`op_offload`), which other machines do not offer.
    """
    return next((place for place in taking if not places[place].is_remote), None)


def buffers(model: ModelMemory, n_layers: int, *, reads: bool, alone: bool) -> int:
    """Bytes that a device computes in, where devices have the last `n_layers` and it some of them.

    Whether it `reads` long texts for main memory: see `reader`. Whether it is `alone`, so that no devices take turns.
    """
    in_main = [layer.weights for layer in model.layers[: len(model.layers) - n_layers]]
    if in_main or model.lent:
        return model.compute + (max([model.lent, *in_main]) if reads else 0)
    return model.compute + (0 if alone else (_COPIES - 1) * model.passing)


def _share(model: ModelMemory, runs: Runs, taking: Sequence[int], place: int, reads: bool) -> Share:
    layers = [layer for layer, there in zip(model.layers, taking, strict=True) if there == place]
    weights, cache = sum(layer.weights for layer in layers), sum(layer.cache for layer in layers)
    if not place:
        computing = model.compute if layers or model.lent else model.passing * (_COPIES if len(runs) > 1 else 1)
        return Share(weights + model.kept, cache, computing + model.logits)
    if not layers:
        return Share()
    n_layers = sum(count for _, count in runs)
    has_output = taking[-1] == place
    finishes = has_output and len(layers) == 1 and not reads
    computing = model.finishing if finishes else buffers(model, n_layers, reads=reads, alone=len(runs) == 1)
    return Share(weights + (model.copied if has_output else 0), cache, computing)
