"""What is said of a draft that fits its target, but has no room beside it."""

from specchat.profiles.pairing.candidates import Candidate

from ..display.screen import one_line


def has_no_room(draft: Candidate) -> str:
    """That, and how to have it nevertheless."""
    return f"{one_line(draft.name)} fits, but has no room beside the target: --draft takes it nevertheless."
