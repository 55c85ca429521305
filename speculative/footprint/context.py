"""How long a context may be that nobody chose."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..devices import Device
from .memory import ModelMemory
from .placing import Wanted
from .plan import MARGIN, plan

CONTEXTS = (8192, 16384, 32768)
"""The tokens that are tried."""


def longest_context(
    wanted: Wanted,
    memory_at: Callable[[int], ModelMemory],
    trained: int,
    devices: Sequence[Device],
    margin: int = MARGIN,
) -> int:
    """The longest of `CONTEXTS`, or what the model was `trained` on, that costs the target no layer on devices.

    What drafts has no say: the text must not depend on that. `memory_at` is what the target takes with so many tokens.
    """
    shortest, *longer = sorted({min(context, trained) for context in CONTEXTS})

    def layers(context: int) -> int:
        found = plan(replace(wanted, memory=memory_at(context)), None, devices, margin)
        return found.target.on_devices if found and found.fits else -1

    least = layers(shortest)
    return max((context for context in longer if layers(context) >= max(0, least)), default=shortest)
