"""Which of the profiles that come along suits a machine, for people who name no model."""

from .profile import Profile
from .store import SHIPPED, Profiles

BEST_FIRST = ("qwen3-32b", "qwen3-14b", "qwen3-8b", "qwen3-4b", "smollm2-1.7b")
"""One family for everything, in all sizes, and a model for what is smaller than any of them."""


def suggested(memory: int) -> Profile | None:
    """The largest pair that is at home in `memory` bytes; None where all of them are too large."""
    shipped = Profiles((SHIPPED,))
    for name in BEST_FIRST:
        profile = shipped.load(name)
        if (profile.about.memory or 0) * 10**9 <= memory:
            return profile
    return None
