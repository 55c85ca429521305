"""What can be wrong with profiles and the hub, and what was probably meant by a wrong word."""

from collections.abc import Sequence
from difflib import get_close_matches

from specchat.speculative.errors import SpecchatError


class ProfileError(SpecchatError):
    """A profile is unknown, cannot be read, or says something that has no meaning."""


class AccessError(SpecchatError):
    """The hub does not let us have it: gated, private or missing, or the token was refused."""


class FetchError(SpecchatError):
    """A download failed: the network, the disk, or what arrived is not what was promised."""


def nearest(word: str, known: Sequence[str]) -> str:
    """The question whether one of the `known` words was meant; nothing where none is like `word`."""
    close = get_close_matches(word, known, n=1, cutoff=0.5)
    return f"Did you mean {close[0]}?" if close else ""


def choose_from(word: str, known: Sequence[str]) -> str:
    """The hint for an unknown `word`: the one that was probably meant, and all that there are."""
    return f"{nearest(word, known)} Known: {', '.join(sorted(known))}.".lstrip()
