"""What the loop needs of a model, and the one function that moves a model through a text."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
"""Logits of shape (rows, vocabulary)."""


class LanguageModel(Protocol):
    """A model with a cache over one sequence of tokens, from position 0 on."""

    @property
    def cached(self) -> Sequence[int]:
        """The tokens that the cache holds now."""

    def rollback(self, length: int) -> int:
        """Forget all but the first `length` cached tokens.

        Returns how many are left, which is fewer when the cache cannot stop there (recurrent models).
        """

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        """Append `tokens` (at least one) to the cache; returns the logits after each of the last `n_logits`.

        The rows are valid until the next call. With `n_logits` of 0 or 1 the tokens are read in pieces of the
        model's batch size; more rows are always computed in a pass of their own.

        Raises `Cancelled` or `DecodeError`; the cache then holds what it held before, or less.
        """


def common_prefix(left: Sequence[object], right: Sequence[object]) -> int:
    """The number of equal tokens, or characters, that two sequences of a kind start with."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def advance(model: LanguageModel, context: Sequence[int], n_logits: int) -> Rows:
    """Bring the model to the end of `context`, whatever its cache holds, and return the last `n_logits` rows.

    Everything that can happen to a cache heals here: rejected drafts, an edited message, an interrupted pass, a
    memory that forgot more than it was asked to. `context` holds at least `max(1, n_logits)` tokens.
    """
    return model.decode(context[go_back(model, context, n_logits) :], n_logits)


def go_back(model: LanguageModel, context: Sequence[int], n_logits: int) -> int:
    """Take back what is not of `context`, or is among its last `n_logits` tokens; returns how many are left."""
    kept = common_prefix(model.cached, context)
    return model.rollback(min(kept, len(context) - max(1, n_logits)))


def read_ahead(model: LanguageModel, context: Sequence[int], kept: int, piece: int) -> Iterator[int]:
    """Read `context` in pieces until at most one piece is left, and yield the number of tokens read so far.

    At most `kept` tokens of what is cached are reused, so that a caller decides where the pieces begin: how a
    prompt is cut into passes is part of the result, to the last bits. What a cache has forgotten of them is read in
    pieces of its own.
    """
    reusable = min(kept, common_prefix(model.cached, context), len(context) - 1)
    kept = model.rollback(reusable)
    yield kept
    while len(context) - kept > piece or kept < reusable:
        end = min(kept + piece, reusable if kept < reusable else len(context))
        model.decode(context[kept:end], 0)
        kept = end
        yield kept
