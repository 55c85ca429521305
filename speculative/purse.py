"""What guesses that cost nothing to make may lose when they are checked and are wrong."""

from dataclasses import dataclass

_MOST = 2.5
"""Tokens: two in a hundred of a short answer."""
_INCOME = 0.02
"""Tokens that each round adds: the share of the time that may be lost for good."""


@dataclass(slots=True)
class Purse:
    """Holds tokens: gains fill it, losses empty it, and it can owe some.

    The chance of a guess is known only roughly, so guesses that are checked whenever they look worth it lose a little
    many times where they look better than they are.
    """

    _tokens: float = _MOST

    @property
    def spent(self) -> float:
        """The share of it that is gone, 0 to 1."""
        return 1.0 - max(0.0, self._tokens) / _MOST

    def settle(self, gain: float = 0.0) -> None:
        """Account for a round, which made `gain` tokens more than plain decoding would have, or fewer."""
        self._tokens = min(_MOST, self._tokens + gain + _INCOME)
