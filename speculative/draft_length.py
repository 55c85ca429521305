"""How many tokens to draft in a round."""

from dataclasses import dataclass
from typing import Protocol


class DraftLength(Protocol):
    """Decides, before each round, how many tokens are worth drafting."""

    def budget(self) -> int:
        """The most tokens to draft in the next round; 0 decodes plain."""


@dataclass(frozen=True, slots=True)
class FixedLength:
    """The same number in every round."""

    length: int

    def budget(self) -> int:
        """Always `length`."""
        return self.length
