"""Files, for shells that do not find them as they are wanted."""

from ..chat.line.completions import paths
from .offer import Offer


def listed(offer: Offer) -> list[str]:
    """The files that a value may be, and the folders on the way there, which end in a slash."""
    endings = offer.values.endings
    if endings is None:
        return []
    return [path for path in paths(offer.begun) if path.endswith(("/", *(endings or ("",))))]
