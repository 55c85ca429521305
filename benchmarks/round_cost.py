"""What deciding costs in each round: the n-gram index and the draft lengths, without any model.

    python -m benchmarks.round_cost

Prints the median and the 90th percentile for contexts of 1,000 and 16,000 tokens, of a text that repeats itself in
part, as code does.
"""

import random
import statistics
from collections.abc import Sequence
from functools import partial
from time import perf_counter

from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.costs import CostCurve
from specchat.speculative.drafting import MODEL, NGRAM, Guess, Offer
from specchat.speculative.ngram import NgramDrafter
from specchat.speculative.rounds import Round
from specchat.speculative.sampling import Logits
from specchat.speculative.verification import Verdict

ROUNDS = 400
PASSES = CostCurve({1: 0.07, 2: 0.12, 5: 0.146, 9: 0.216, 17: 0.33})


def text(length: int, chance: random.Random) -> list[int]:
    """Phrases out of a hundred, again and again."""
    phrases = [[chance.randrange(30_000) for _ in range(chance.randrange(3, 12))] for _ in range(100)]
    tokens: list[int] = []
    while len(tokens) < length:
        tokens += chance.choice(phrases)
    return tokens[:length]


class NoModel:
    """N-grams ask nobody."""

    def __call__(self, logits: Logits, text: Sequence[int]) -> Guess:
        """Never called."""
        raise AssertionError

    def forced(self, text: Sequence[int]) -> Sequence[Guess]:
        """Never called."""
        raise AssertionError


def offers(drafter: NgramDrafter, context: Sequence[int], tokens: Sequence[int]) -> Sequence[Offer]:
    """Quotes, and a model that knows how the text goes on."""
    guesses = (Guess.certain(token, 2.0) for token in tokens[len(context) :])
    return [*drafter.offers(context, NoModel()), Offer(MODEL, guesses)]


def rounds(length: int) -> list[float]:
    """Milliseconds of each round for the index and the decision; half of the guesses are right."""
    chance = random.Random(1)
    tokens = text(length + 4 * ROUNDS, chance)
    context = tokens[:length]
    drafter = NgramDrafter()
    drafter.offers(context, NoModel())  # reads the prompt
    decide = AdaptiveLength(PASSES, sources((NGRAM, MODEL), CostCurve({1: 0.013, 64: 0.1}), share=0.2), most=16)
    spent = []
    for _ in range(ROUNDS):
        started = perf_counter()
        draft = decide.take(partial(offers, drafter, context, tokens), 1000)
        decided = perf_counter()
        accepted = chance.randrange(len(draft) + 1)
        verdict = Verdict(
            tuple(tokens[len(context) : len(context) + accepted + 1]), accepted, min(accepted + 1, len(draft))
        )
        step = Round(draft, verdict, verdict.tokens, 0.01, PASSES.at(1 + len(draft)), (3.0,) * (accepted + 1))
        learning = perf_counter()
        decide.observe(step)
        spent.append((perf_counter() - learning + decided - started) * 1e3)
        context.extend(verdict.tokens)
    return spent


def main() -> None:
    """Print the table."""
    for length in (1_000, 16_000):
        spent = rounds(length)
        ninth = statistics.quantiles(spent, n=10)[-1]
        print(f"{length:>6,} tokens: {statistics.median(spent):.3f} ms a round (p90 {ninth:.3f}, n = {len(spent)})")


if __name__ == "__main__":
    main()
