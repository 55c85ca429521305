"""What is said of a draft that fits its target, but has no room beside it."""

from ..display.screen import one_line


def has_no_room(draft: str) -> str:
    """That, and how to have it nevertheless."""
    return f"{one_line(draft)} fits, but has no room beside the target: --draft takes it nevertheless."


def left_to_n_grams(draft: str) -> str:
    """The same where no other model drafts instead."""
    return f"N-grams draft. {has_no_room(draft)}"
