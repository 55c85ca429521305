"""Who guesses: a draft model, the n-grams of the context, or nobody."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .distribution import TokenDistribution
from .model import LanguageModel, Rows, advance
from .sampling import Logits

Propose = Callable[[Logits, Sequence[int]], tuple[int, TokenDistribution]]
"""Chooses a guess from the draft's logits after a text, as the target would; returns what it was chosen from too."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Guessed tokens, each with the distribution that it was drawn from. The empty draft is plain decoding."""

    tokens: tuple[int, ...] = ()
    distributions: tuple[TokenDistribution, ...] = ()

    @classmethod
    def certain(cls, tokens: Sequence[int]) -> "Draft":
        """A draft by something that has no distribution: each token is a point mass."""
        return cls(tuple(tokens), tuple(map(TokenDistribution.point, tokens)))


class Drafter(Protocol):
    """Anything that guesses how a text goes on."""

    def draft(self, context: Sequence[int], budget: int, propose: Propose) -> Draft:
        """At most `budget` guesses for what follows `context`."""

    def close(self) -> None:
        """Free what it holds."""


@dataclass(frozen=True, slots=True)
class NoDrafter:
    """Plain decoding."""

    def draft(self, context: Sequence[int], budget: int, propose: Propose) -> Draft:
        """The empty draft."""
        return Draft()

    def close(self) -> None:
        """Nothing to free."""


class DraftModel(LanguageModel, Protocol):
    """A language model that can be freed."""

    def close(self) -> None:
        """Free it; a second call does nothing."""


@dataclass(frozen=True, slots=True)
class ModelDrafter:
    """A small model guesses one token after the other, and keeps its cache between the rounds.

    It is fed only what it has not seen: one token after a rejection, two after full acceptance. `n_vocab` is the
    number of ids that target and draft share, `forbidden` are ids among them that mean different things.
    """

    model: DraftModel
    is_end: Callable[[int], bool]
    n_ctx: int
    n_vocab: int
    forbidden: Sequence[int] = ()

    def draft(self, context: Sequence[int], budget: int, propose: Propose) -> Draft:
        """Guess until the budget, the end of the draft's context or of the text is reached."""
        tokens: list[int] = []
        distributions: list[TokenDistribution] = []
        for _ in range(min(budget, self.n_ctx - len(context))):
            text = [*context, *tokens]
            token, distribution = propose(self._logits(advance(self.model, text, 1)), text)
            tokens.append(token)
            distributions.append(distribution)
            # what follows an end is dropped, so no guess behind it can matter to any verification
            if self.is_end(token):
                break
        return Draft(tuple(tokens), tuple(distributions))

    def close(self) -> None:
        """Free the draft model."""
        self.model.close()

    def _logits(self, rows: Rows) -> Logits:
        logits: Logits = rows[0, : self.n_vocab]
        if self.forbidden:
            logits = logits.copy()
            logits[list(self.forbidden)] = -np.inf
        return logits
