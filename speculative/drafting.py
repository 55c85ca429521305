"""Who guesses: a draft model, the n-grams of the context, or nobody."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from .distribution import TokenDistribution
from .model import LanguageModel, Rows, advance, common_prefix
from .sampling import Logits

MODEL, NGRAM, FORM = "model", "ngram", "form"
"""The sources of drafts; the last one is the form that an answer is to have."""

_FIRST = 4


class Propose(Protocol):
    """Makes guesses for whoever drafts."""

    def __call__(self, logits: Logits, text: Sequence[int]) -> "Guess | None":
        """Chooses from the draft's logits after a text, as the target would choose; None where nothing may come."""

    def forced(self, text: Sequence[int]) -> Sequence["Guess"]:
        """What has to come after a text, by the form that it is to have: that needs no logits."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed token, what it was drawn from (None is a point mass on it), and how far it leads.

    `lead` is the difference, in nats, between its logit and the best other one; for a guess without logits, whatever
    grows with the chance that it is right. One that `is_forced` by the form of the answer cost nothing to make.
    """

    token: int
    drawn_from: TokenDistribution | None
    lead: float = 0.0
    is_forced: bool = False

    @classmethod
    def certain(cls, token: int, lead: float = 0.0) -> "Guess":
        """A guess by something that has no distribution."""
        return cls(token, None, lead)

    @property
    def distribution(self) -> TokenDistribution:
        """What it was drawn from."""
        return self.drawn_from or TokenDistribution.point(self.token)


Pause = Literal["nothing to guess", "would not pay", "reading first would not pay", "loading first would not pay"]
"""Why nothing was drafted."""


@dataclass(frozen=True, slots=True)
class Draft:
    """Guesses of one source that are checked in one pass. The empty draft is plain decoding, which `pause` explains.

    The last `padding` of them are nonsense, which only makes the pass as long as it is: a longer one may be cheaper, or
    is to be measured.
    """

    guesses: tuple[Guess, ...] = ()
    source: str = ""
    pause: Pause | None = None
    padding: int = 0

    @property
    def guessed(self) -> int:
        """The number of guesses that are meant."""
        return len(self.guesses) - self.padding

    def padded(self, length: int) -> "Draft":
        """The same guesses, with nonsense behind them up to `length`."""
        missing = max(0, length - len(self))
        return replace(self, guesses=self.guesses + (Guess.certain(0),) * missing, padding=self.padding + missing)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The guessed tokens."""
        return tuple(guess.token for guess in self.guesses)

    def __len__(self) -> int:
        return len(self.guesses)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a drafter would guess: `guesses` are made one by one, when they are asked for.

    The first `forced` ones need no drafter. Before it makes others it has to read them and `behind` tokens beyond the
    usual one, and to load for about `loading` seconds. `source` names the drafter to whoever compares offers.
    """

    source: str
    guesses: Iterator[Guess]
    behind: int = 0
    loading: float = 0.0
    forced: int = 0


Offers = Callable[[], Sequence[Offer]]
"""What could be guessed now, found out when it is asked for: that takes time, and may not be worth it."""


class Drafter(Protocol):
    """Anything that guesses how a text goes on."""

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """What could be guessed after `context`; nothing where there is nothing to guess.

        From call to call within an answer it is the same list, which only grows; another text is another list.
        """

    def close(self) -> None:
        """Free what it holds."""


@dataclass(frozen=True, slots=True)
class NoDrafter:
    """Plain decoding."""

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """No offer."""
        return ()

    def close(self) -> None:
        """Nothing to free."""


@dataclass(frozen=True, slots=True)
class SeveralDrafters:
    """All that its `drafters` offer, for a draft length to choose from."""

    drafters: tuple[Drafter, ...]

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """Their offers, in their order."""
        return [offer for drafter in self.drafters for offer in drafter.offers(context, propose)]

    def close(self) -> None:
        """Close each."""
        for drafter in self.drafters:
            drafter.close()


class DraftModel(LanguageModel, Protocol):
    """A language model that guesses, and can be freed."""

    def nearest(self, length: int) -> int:
        """How many tokens `rollback(length)` would leave."""

    def keep(self) -> None:
        """Keep a short way back to what is cached now: what is decoded next is a guess."""

    def close(self) -> None:
        """Free it; a second call does nothing."""


def window(context: Sequence[int], n_ctx: int) -> Sequence[int]:
    """What a draft with a context of `n_ctx` reads of `context`, which leaves room for a guess.

    That is all of it, or its first few tokens, which attention rests on (StreamingLLM, arXiv 2309.17453), and its last
    ones. Where these begin moves by half of `n_ctx` at once, so that most rounds read nothing again: about one token
    for each that the text grows by.
    """
    if len(context) < n_ctx:
        return context
    step, first = max(1, n_ctx // 2), min(_FIRST, n_ctx // 8)
    left_out = step * ((len(context) - n_ctx) // step + 1)
    return [*context[:first], *context[first + left_out :]]


def knows(text: Sequence[int], n_vocab: int, read: int = 0) -> bool:
    """Whether a draft can go on with `text`, of which it has read the first `read` tokens already."""
    return bool(text) and all(token < n_vocab for token in text[read:])


@dataclass(frozen=True, slots=True)
class ModelDrafter:
    """A small model guesses one token after the other, and keeps its cache between the rounds.

    It is fed only what it has not seen: one token after a rejection, two after full acceptance, what is forced, and
    what it cannot take back otherwise. Of a text that is longer than its context of `n_ctx`, it reads a window, and
    `beyond` is called. `n_vocab` is the number of ids that target and draft share, `forbidden` are ids among them that
    mean different things.
    """

    model: DraftModel
    is_end: Callable[[int], bool]
    n_ctx: int
    n_vocab: int
    forbidden: Sequence[int] = ()
    beyond: Callable[[], None] = lambda: None

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """Guesses to the end of the draft's context or of the text; none after tokens that it does not know."""
        seen = window(context, self.n_ctx)
        known = self.model.nearest(min(common_prefix(self.model.cached, seen), len(seen) - 1))
        if not knows(seen, self.n_vocab, known):
            return ()
        forced = len(propose.forced(context))
        return (Offer(MODEL, self._guesses(context, seen, propose), len(seen) - 1 - known, forced=forced),)

    def _guesses(self, context: Sequence[int], seen: Sequence[int], propose: Propose) -> Iterator[Guess]:
        text, most = list(context), len(context) + self.n_ctx - len(seen)
        if len(seen) < len(context):
            self.beyond()
        read = len(context)
        while True:
            for forced in propose.forced(text):
                yield forced
                text.append(forced.token)
            unread = text[read:]
            # what follows an end is dropped, so no guess behind it can matter to any verification
            if len(text) >= most or any(map(self.is_end, unread)) or not knows(text, self.n_vocab, read):
                return
            rows = self._read(seen, unread) if read == len(context) else self.model.decode(unread, 1)
            guess = propose(self._logits(rows), text)
            if guess is None:
                return
            yield guess
            if len(self.model.cached) == len(seen):
                self.model.keep()
            read = len(text)
            text.append(guess.token)

    def _read(self, seen: Sequence[int], forced: Sequence[int]) -> Rows:
        """Read what is seen of the context and what is forced behind it, at once where the way back is free."""
        last = len(self.model.cached) - 1
        if not forced or self.model.nearest(last) == last > 0:
            return advance(self.model, [*seen, *forced], 1)
        advance(self.model, seen, 1)
        self.model.keep()
        return self.model.decode(forced, 1)

    def close(self) -> None:
        """Free the draft model."""
        self.model.close()

    def _logits(self, rows: Rows) -> Logits:
        logits: Logits = rows[0, : self.n_vocab]
        if self.forbidden:
            logits = logits.copy()
            logits[list(self.forbidden)] = -np.inf
        return logits
