"""How long a context may be that nobody chose."""

from collections.abc import Callable, Sequence

from ..devices import Device
from .placing import Wanted
from .plan import MARGIN, plan

CONTEXTS = (8192, 16384, 32768)
"""The tokens that are tried."""


def longest_context(
    wanted_at: Callable[[int], Wanted], trained: int, devices: Sequence[Device], margin: int = MARGIN
) -> int:
    """The longest of `CONTEXTS`, or what the model was `trained` on, that costs the target no layer on devices.

    What drafts has no say: the text must not depend on that. `wanted_at` is the target with so many tokens.
    """
    shortest, *longer = sorted({min(context, trained) for context in CONTEXTS})

    def layers(context: int) -> int:
        found = plan(wanted_at(context), None, devices, margin)
        return found.target.on_devices if found and found.fits else -1

    least = layers(shortest)
    return max((context for context in longer if layers(context) >= max(0, least)), default=shortest)
