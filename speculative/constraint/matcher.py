"""What a constraint needs of whatever reads the grammar."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
"""Of shape (vocabulary,): which tokens are allowed."""


class Matcher(Protocol):
    """Where a grammar stands behind tokens; each may raise `IncompleteError` where it is too hard to follow."""

    def allows(self, token: int) -> bool:
        """Whether `token` may come next; one that ends texts may where the grammar is met."""

    def mask(self) -> Mask:
        """The same for every token."""

    def move(self, back: int, tokens: Sequence[int]) -> bool:
        """Take back the last `back` tokens, then read `tokens`, which hold no end token.

        False where not all of them are allowed; then none is read. Costs what these tokens cost, however many came
        before.
        """
