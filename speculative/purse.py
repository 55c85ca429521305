"""What guesses that cost nothing to make may lose when they are checked and are wrong."""

from dataclasses import dataclass

_START = 2.0
"""Tokens: what a short answer may lose."""
_MOST = 8.0
"""What gains fill it to: about what a long quote costs that is wrong from the start."""
_INCOME = 0.0075
"""Tokens that each round adds: the share of the time that may be lost for good."""


@dataclass(slots=True)
class Purse:
    """Holds tokens: gains fill it, losses empty it, and it can owe some.

    The chance of a guess is known only roughly, so guesses that are checked whenever they look worth it lose a little
    many times where they look better than they are.
    """

    _tokens: float = _START

    @property
    def spent(self) -> float:
        """The share of what it held at the start that is gone, 0 to 1."""
        return 1.0 - min(1.0, max(0.0, self._tokens) / _START)

    def covers(self, loss: float) -> bool:
        """Whether so many tokens may be lost at once."""
        return loss <= self._tokens

    def settle(self, gain: float = 0.0, rounds: int = 1) -> None:
        """Account for rounds, which made `gain` tokens more than plain decoding would have, or fewer."""
        self._tokens = min(max(_START, self._tokens), self._tokens + rounds * _INCOME)
        self._tokens = min(_MOST, self._tokens + gain)
