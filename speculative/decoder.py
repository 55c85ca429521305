"""The loop: draft, let the target check all of it in one pass, keep what is right, correct the first wrong token."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from .distribution import TokenDistribution
from .draft_length import DraftLength
from .drafting import Draft, Drafter
from .model import LanguageModel, Rows, advance
from .sampling import Logits, SamplerChain
from .verification import Verdict, Verification


@dataclass(frozen=True, slots=True)
class Round:
    """One draft and what became of it.

    `tokens` is what the text grew by: the verdict's tokens up to the end of the text, or to the room left for it.
    The first `verdict.accepted` of them are draft tokens. Times are in seconds.
    """

    draft: Draft
    verdict: Verdict
    tokens: tuple[int, ...]
    draft_seconds: float
    target_seconds: float


@dataclass(frozen=True, slots=True)
class SpeculativeDecoder:
    """Generates the target's text, with a drafter's help; with `NoDrafter` it is plain decoding, by the same code."""

    target: LanguageModel
    drafter: Drafter
    draft_length: DraftLength
    chain: SamplerChain
    is_end: Callable[[int], bool]

    def rounds(self, context: list[int], room: int, verification: Verification, index: int = 0) -> Iterator[Round]:
        """Append to `context` round by round, until a token ends the text or `room` (>= 1) tokens were added.

        `index` is the place in the answer of the first token to come. The first round drafts nothing, so that the
        prompt is read in the same passes whatever is drafted, and the first token waits for nobody.
        """
        end = len(context) + room
        offset = len(context) - index
        budget = 0
        while len(context) < end:
            step = self._round(context, min(budget, end - len(context) - 1), verification, len(context) - offset)
            context.extend(step.tokens)
            yield step
            if self.is_end(context[-1]):
                return
            budget = self.draft_length.budget()

    def _round(self, context: Sequence[int], budget: int, verification: Verification, index: int) -> Round:
        def propose(logits: Logits, text: Sequence[int]) -> tuple[int, TokenDistribution]:
            distribution = self.chain.distribution(logits, text)
            return verification.propose(distribution, index + len(text) - len(context)), distribution

        started = perf_counter()
        draft = self.drafter.draft(context, budget, propose)
        drafted = perf_counter()
        rows = advance(self.target, [*context, *draft.tokens], len(draft.tokens) + 1)
        verdict = verification.verify(draft, self._distributions(rows, context, draft), index)
        finished = perf_counter()
        return Round(draft, verdict, self._until_end(verdict.tokens), drafted - started, finished - drafted)

    def _distributions(self, rows: Rows, context: Sequence[int], draft: Draft) -> Iterator[TokenDistribution]:
        """What the target says after the context and after each draft token, computed when it is asked for."""
        text = [*context, *draft.tokens]
        for offset, row in enumerate(rows):
            yield self.chain.distribution(row, text[: len(context) + offset])

    def _until_end(self, tokens: tuple[int, ...]) -> tuple[int, ...]:
        """The tokens up to and including the first that ends the text: nothing behind it was ever said."""
        ends = (place for place, token in enumerate(tokens) if self.is_end(token))
        return tokens[: next(ends, len(tokens)) + 1]
