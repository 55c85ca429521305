"""The loop: draft, let the target check all of it in one pass, keep what is right, correct the first wrong token."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from .distribution import TokenDistribution
from .draft_length import DraftLength
from .drafting import Draft, Drafter, Guess
from .logprobs import ScoredToken, scored
from .model import LanguageModel, Rows, go_back
from .rounds import Round
from .sampling import Logits, SamplerChain, lead
from .verification import Verification


@dataclass(frozen=True, slots=True)
class SpeculativeDecoder:
    """Generates the target's text, with a drafter's help; with `NoDrafter` it is plain decoding, by the same code.

    Each token is scored, with as many of the best at its place as `scores` says; None scores none.
    """

    target: LanguageModel
    drafter: Drafter
    draft_length: DraftLength
    chain: SamplerChain
    is_end: Callable[[int], bool]
    scores: int | None = None

    def rounds(self, context: list[int], room: int, verification: Verification, index: int = 0) -> Iterator[Round]:
        """Append to `context` round by round, until a token ends the text or `room` (>= 1) tokens were added.

        `index` is the place in the answer of the first token to come. The first round drafts nothing, so that the
        prompt is read in the same passes whatever is drafted, and the first token waits for nobody.
        """
        end = len(context) + room
        offset = len(context) - index
        most = 0
        while len(context) < end:
            step = self._round(context, min(most, end - len(context) - 1), verification, len(context) - offset)
            context.extend(step.tokens)
            if most:  # the first pass read the prompt too
                self.draft_length.observe(step)
            yield step
            if self.is_end(context[-1]):
                return
            most = room

    def _round(self, context: Sequence[int], most: int, verification: Verification, index: int) -> Round:
        started = perf_counter()
        draft = self._draft(context, most, verification, index) if most > 0 else Draft()
        drafted = perf_counter()
        text, n_rows = [*context, *draft.tokens], len(draft) + 1
        kept = go_back(self.target, text, n_rows)
        rows = self.target.decode(text[kept:], n_rows)
        drawn_from: list[TokenDistribution] = []
        verdict = verification.verify(draft, self._distributions(rows, context, draft, drawn_from), index)
        leads = tuple(lead(row, token) for row, token in zip(rows, verdict.tokens, strict=False))
        finished = perf_counter()
        tokens = self._until_end(verdict.tokens)
        plain = self.draft_length.plain_seconds()
        found = self._scored(rows, drawn_from, tokens)
        reread = len(text) - kept - n_rows
        return Round(draft, verdict, tokens, drafted - started, finished - drafted, leads, plain, found, reread)

    def _draft(self, context: Sequence[int], most: int, verification: Verification, index: int) -> Draft:
        def propose(logits: Logits, text: Sequence[int]) -> Guess:
            distribution = self.chain.distribution(logits, text)
            token = verification.propose(distribution, index + len(text) - len(context))
            return Guess(token, distribution, self.chain.lead(logits, distribution, token))

        return self.draft_length.take(self.drafter.offers(context, propose), most)

    def _distributions(
        self, rows: Rows, context: Sequence[int], draft: Draft, made: list[TokenDistribution]
    ) -> Iterator[TokenDistribution]:
        """What the target says after the context and after each draft token, `made` when it is asked for."""
        text = [*context, *draft.tokens]
        for offset, row in enumerate(rows):
            made.append(self.chain.distribution(row, text[: len(context) + offset]))
            yield made[-1]

    def _scored(
        self, rows: Rows, drawn_from: Sequence[TokenDistribution], tokens: Sequence[int]
    ) -> tuple[ScoredToken, ...]:
        """The tokens of a round, which were checked against one row and distribution each."""
        if self.scores is None:
            return ()
        places = zip(rows, drawn_from, tokens, strict=False)  # rows and distributions behind the end are left over
        return tuple(scored(row, distribution, token, self.scores) for row, distribution, token in places)

    def _until_end(self, tokens: tuple[int, ...]) -> tuple[int, ...]:
        """The tokens up to and including the first that ends the text: nothing behind it was ever said."""
        ends = (place for place, token in enumerate(tokens) if self.is_end(token))
        return tokens[: next(ends, len(tokens)) + 1]
