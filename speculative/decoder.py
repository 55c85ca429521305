"""The loop: draft, let the target check all of it in one pass, keep what is right, correct the first wrong token."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from .constraint.constraint import Constraint
from .constraint.law import Law
from .distribution import Drawable
from .draft_length import DraftLength
from .drafting import Draft, Drafter, Guess, Offer
from .errors import IncompleteError
from .logprobs import ScoredToken, scored
from .model import LanguageModel, Rows, go_back
from .rounds import Round
from .sampling import Logits, SamplerChain
from .verification import Verification


@dataclass(frozen=True, slots=True)
class SpeculativeDecoder:
    """Generates the target's text, with a drafter's help; with `NoDrafter` it is plain decoding, by the same code.

    Each token is scored, with as many of the best at its place as `scores` says; None scores none. Passes take
    `slowdown` times as long as they would if the drafter took no room.
    """

    target: LanguageModel
    drafter: Drafter
    draft_length: DraftLength
    chain: SamplerChain
    is_end: Callable[[int], bool]
    scores: int | None = None
    slowdown: float = 1.0

    def rounds(
        self,
        context: list[int],
        room: int,
        verification: Verification,
        index: int = 0,
        constraint: Constraint | None = None,
    ) -> Iterator[Round]:
        """Append to `context` round by round, until a token ends the text or `room` (>= 1) tokens were added.

        `index` is the place in the answer of the first token to come. The first round drafts nothing, so that the
        prompt is read in the same passes whatever is drafted, and the first token waits for nobody. A `constraint` has
        settled the tokens of the answer before `index`, and settles those that come; guesses are made under it too.
        Raises `IncompleteError` where it lets the text neither go on nor end.
        """
        law = Law(self.chain, constraint)
        end = len(context) + room
        offset = len(context) - index
        most = 0
        while len(context) < end:
            step = self._round(context, min(most, end - len(context) - 1), verification, len(context) - offset, law)
            context.extend(step.tokens)
            if constraint is not None:
                constraint.settle(step.tokens)
            if most:  # the first pass read the prompt too
                self.draft_length.observe(step)
            yield step
            if self.is_end(context[-1]):
                return
            most = room

    def _round(self, context: Sequence[int], most: int, verification: Verification, index: int, law: Law) -> Round:
        started = perf_counter()
        draft = self._draft(context, most, verification, index, law) if most > 0 else Draft()
        drafted = perf_counter()
        text, n_rows = [*context, *draft.tokens], len(draft) + 1
        kept = go_back(self.target, text, n_rows)
        rows = self.target.decode(text[kept:], n_rows)
        said: list[Drawable] = []
        verdict = verification.verify(draft, self._distributions(rows, context, draft, law, said), index)
        leads = tuple(map(law.lead, rows, said, verdict.tokens))
        finished = perf_counter()
        tokens = self._until_end(verdict.tokens)
        plain = self.draft_length.plain_seconds()
        found = self._scored(rows, said, tokens)
        reread = len(text) - kept - n_rows
        return Round(
            draft, verdict, tokens, drafted - started, finished - drafted, leads, plain, found, reread, self.slowdown
        )

    def _draft(self, context: Sequence[int], most: int, verification: Verification, index: int, law: Law) -> Draft:
        def offers() -> Sequence[Offer]:
            propose = _Proposing(law, verification, len(context), index)
            return [*law.offers(), *map(law.within, self.drafter.offers(context, propose))]

        return self.draft_length.take(offers, most)

    def _distributions(
        self, rows: Rows, context: Sequence[int], draft: Draft, law: Law, said: list[Drawable]
    ) -> Iterator[Drawable]:
        """What the target says after the context and after each draft token, computed when it is asked for.

        What was, is added to `said`.
        """
        text = [*context, *draft.tokens]
        for offset, row in enumerate(rows):
            said.append(law.distribution(row, text[: len(context) + offset], draft.tokens[:offset]))
            yield said[-1]

    def _scored(self, rows: Rows, drawn_from: Sequence[Drawable], tokens: Sequence[int]) -> tuple[ScoredToken, ...]:
        """The tokens of a round, which were checked against one row and distribution each."""
        if self.scores is None:
            return ()
        places = zip(rows, drawn_from, tokens, strict=False)  # rows and distributions behind the end are left over
        return tuple(scored(row, drawable.exactly(), token, self.scores) for row, drawable, token in places)

    def _until_end(self, tokens: tuple[int, ...]) -> tuple[int, ...]:
        """The tokens up to and including the first that ends the text: nothing behind it was ever said."""
        ends = (place for place, token in enumerate(tokens) if self.is_end(token))
        return tokens[: next(ends, len(tokens)) + 1]


@dataclass(frozen=True, slots=True)
class _Proposing:
    """Guesses behind a context of `n_context` tokens, of which the next one is at `index` of its answer."""

    law: Law
    verification: Verification
    n_context: int
    index: int

    def __call__(self, logits: Logits, text: Sequence[int]) -> Guess | None:
        """See `Propose`."""
        path = text[self.n_context :]
        distribution = self.law.distribution(logits, text, path)
        try:
            token = self.verification.propose(distribution, self.index + len(path))
        except IncompleteError:  # the draft lacks every token that the target may choose
            return None
        return self.law.guess(logits, distribution, token)

    def forced(self, text: Sequence[int]) -> Sequence[Guess]:
        """See `Propose`."""
        return self.law.forced(text[self.n_context :])
