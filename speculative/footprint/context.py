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
    """The longest of `CONTEXTS`, or what the model was `trained` on, that costs no layer or experts on devices.

    What drafts has no say: the text must not depend on that. `wanted_at` is the target with so many tokens.
    """
    shortest, *longer = sorted({min(context, trained) for context in CONTEXTS})

    def standing(context: int) -> tuple[int, ...]:
        found = plan(wanted_at(context), None, devices, margin)
        return (found.fits, found.target.on_devices, -found.target.experts) if found else (False,)

    least = max((True,), standing(shortest))
    return max((context for context in longer if standing(context) >= least), default=shortest)
