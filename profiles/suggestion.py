"""Which of the profiles that come along suits a machine, for people who name no model."""

from .profile import Profile
from .store import SHIPPED, Profiles

BEST_FIRST = ("qwen2.5-32b", "qwen2.5-14b", "qwen2.5-7b", "smollm2-1.7b")
"""A family that answers without thinking aloud first, in all sizes, and one for smaller machines."""


def suggested(memory: int) -> Profile | None:
    """The largest pair that is at home in `memory` bytes; None where all of them are too large."""
    shipped = Profiles((SHIPPED,))
    for name in BEST_FIRST:
        profile = shipped.load(name)
        if (profile.about.memory or 0) * 10**9 <= memory:
            return profile
    return None
