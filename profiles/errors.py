"""What can be wrong with a profile."""

from collections.abc import Sequence
from difflib import get_close_matches

from specchat.speculative.errors import SpecchatError


class ProfileError(SpecchatError):
    """A profile is unknown, cannot be read, or says something that has no meaning."""


class AccessError(SpecchatError):
    """The hub does not let us have it: gated, private or missing, or the token was refused."""


class FetchError(SpecchatError):
    """A download failed: the network, the disk, or what arrived is not what was promised."""


def choose_from(word: str, known: Sequence[str]) -> str:
    """The hint for an unknown `word`: the one that was probably meant, and all that there are."""
    close = get_close_matches(word, known, n=1, cutoff=0.5)
    listed = ", ".join(sorted(known))
    return f"Did you mean {close[0]}? Known: {listed}." if close else f"Known: {listed}."
