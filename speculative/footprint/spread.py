"""Where the parts of one model lie when so many of its layers are put on devices, as llama.cpp puts them there."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from .memory import ModelMemory

_COPIES = 4
"""Of what goes into a graph where several devices take turns (`GGML_SCHED_MAX_COPIES`)."""


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


def spread(model: ModelMemory, n_layers: int, free: Sequence[int]) -> tuple[Share, ...]:
    """The shares of main memory and of each device, whose `free` bytes decide how many layers each gets.

    The last `n_layers` go to devices, the output first; embeddings stay: llama_model_base::load_tensors.
    """
    first = len(model.layers) - n_layers
    bounds = list(accumulate(free))
    places = [0] * first + [1 + _device(place / n_layers, bounds) for place in range(n_layers)]
    return tuple(_share(model, places, place) for place in range(len(free) + 1))


def _device(part: float, bounds: Sequence[int]) -> int:
    """The device for what lies at this part of the layers; without any `free` byte known, the first."""
    return bisect_right(bounds, part * bounds[-1]) if bounds[-1] else 0


def _share(model: ModelMemory, places: Sequence[int], place: int) -> Share:
    layers = [layer for layer, there in zip(model.layers, places, strict=True) if there == place]
    weights, cache = sum(layer.weights for layer in layers), sum(layer.cache for layer in layers)
    if place:
        copied = model.copied if layers and places[-1] == place else 0
        taking_turns = (_COPIES - 1) * model.passing if len(set(places)) > 1 and 0 not in places else 0
        return Share(weights + copied, cache, model.compute + taking_turns if layers else 0)
    compute = model.compute if 0 in places else model.passing
    return Share(weights + model.embeddings, cache, compute + model.logits)
