"""Who guesses: a draft model, the n-grams of the context, or nobody."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .distribution import TokenDistribution
from .model import LanguageModel, Rows, advance, common_prefix
from .sampling import Logits

Propose = Callable[[Logits, Sequence[int]], "Guess"]
"""Chooses a guess from the draft's logits after a text, as the target would choose."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed token, what it was drawn from, and how far it leads.

    `lead` is the difference, in nats, between its logit and the best other one; for a guess without logits, whatever
    grows with the chance that it is right.
    """

    token: int
    distribution: TokenDistribution
    lead: float = 0.0

    @classmethod
    def certain(cls, token: int, lead: float = 0.0) -> "Guess":
        """A guess by something that has no distribution: a point mass."""
        return cls(token, TokenDistribution.point(token), lead)


@dataclass(frozen=True, slots=True)
class Draft:
    """Guesses that are checked in one pass. The empty draft is plain decoding."""

    guesses: tuple[Guess, ...] = ()

    @property
    def tokens(self) -> tuple[int, ...]:
        """The guessed tokens."""
        return tuple(guess.token for guess in self.guesses)

    def __len__(self) -> int:
        return len(self.guesses)


class Drafter(Protocol):
    """Anything that guesses how a text goes on."""

    def guesses(self, context: Sequence[int], propose: Propose) -> Iterator[Guess]:
        """One guess after the other for what follows `context`, each made when it is asked for."""

    def behind(self, context: Sequence[int]) -> int:
        """How many tokens of `context` it has to read before its first guess, beyond the usual one."""

    def close(self) -> None:
        """Free what it holds."""


@dataclass(frozen=True, slots=True)
class NoDrafter:
    """Plain decoding."""

    def guesses(self, context: Sequence[int], propose: Propose) -> Iterator[Guess]:
        """No guess."""
        return iter(())

    def behind(self, context: Sequence[int]) -> int:
        """Nothing to read."""
        return 0

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

    def guesses(self, context: Sequence[int], propose: Propose) -> Iterator[Guess]:
        """Guess until the end of the draft's context or of the text is reached; not at all after unknown tokens."""
        text = list(context)
        if any(token >= self.n_vocab for token in context[common_prefix(self.model.cached, context) :]):
            return
        while len(text) < self.n_ctx:
            guess = propose(self._logits(advance(self.model, text, 1)), text)
            yield guess
            # what follows an end is dropped, so no guess behind it can matter to any verification
            if self.is_end(guess.token):
                return
            text.append(guess.token)

    def behind(self, context: Sequence[int]) -> int:
        """The tokens that its cache lacks, but for the last one."""
        return len(context) - 1 - min(common_prefix(self.model.cached, context), len(context) - 1)

    def close(self) -> None:
        """Free the draft model."""
        self.model.close()

    def _logits(self, rows: Rows) -> Logits:
        logits: Logits = rows[0, : self.n_vocab]
        if self.forbidden:
            logits = logits.copy()
            logits[list(self.forbidden)] = -np.inf
        return logits
