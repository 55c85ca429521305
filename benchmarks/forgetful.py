"""Whether drafting costs anything on models that read again after a wrong guess, at several shares of right ones.

    python -m benchmarks.forgetful [--architecture jamba ...] [--right 0.0 0.2 0.5 0.9] [--width 512] [--tokens 256]

Writes models with random weights, so wide that a pass takes some milliseconds, and lets guesses be right so often by
chance. "free" ones cost nothing, as those of n-grams do; for those of a "model" a draft model is run, whatever it says.
Each drafted answer stands between two plain ones, whose mean it is compared with; the bar is 0.98 of their speed.
The first line of each has the milliseconds of passes, as `tests/speculative/test_forgetful.py` uses them. On models as
small as those of the tests, at a tenth of a millisecond, what shows is the time in which Python decides.
"""

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from statistics import geometric_mean
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import get_args

from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.costs import CostCurve
from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import MODEL, NGRAM, Drafter, Guess, ModelDrafter, NoDrafter, Offer, Propose
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.model import advance
from specchat.speculative.noise import SeededNoise
from specchat.speculative.rounds import Round
from specchat.speculative.sampling import Logits, SamplerChain, SamplingParams
from specchat.speculative.verification import CoupledVerification
from tests.tiny import Architecture, TinyModel, write_tiny

LENGTHS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 13, 17)
PROMPT = [int(32 + 7 * place % 90) for place in range(200)]
MOST = 16


@dataclass(frozen=True, slots=True)
class Scripted:
    """Offers `guesses`, one for each place of an answer; where a `drafter` is given, it works for each, in vain."""

    guesses: Sequence[Guess]
    drafter: ModelDrafter | None = None

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """One offer, as long as the answer goes on."""
        if self.drafter is None:
            return (Offer(NGRAM, islice(self.guesses, len(context) - len(PROMPT), None)),)
        return self.drafter.offers(context, self)

    def __call__(self, logits: Logits, text: Sequence[int]) -> Guess | None:
        """The guess behind a text, whatever the drafter says."""
        return next(islice(self.guesses, len(text) - len(PROMPT), None), None)

    def forced(self, text: Sequence[int]) -> Sequence[Guess]:
        """Nothing is."""
        return ()

    def close(self) -> None:
        """Whoever made the drafter closes it."""


def script(text: Sequence[int], right: float, seed: int) -> list[Guess]:
    """Guesses of a text, of which so many are right, and whose leads say as little as the length of a match."""
    chance = Random(seed)
    tokens = [token if chance.random() < right else (token + 1) % 256 for token in text]
    return [Guess.certain(token, math.log2(chance.choice((2, 4, 8)))) for token in tokens]


def answer(
    model: LlamaModel, drafter: Drafter, length: AdaptiveLength | FixedLength, tokens: int
) -> tuple[list[Round], float]:
    """The rounds of an answer, and their seconds but for the first one, which reads the last of the prompt.

    Those are of the processor, which other processes do not take; there is one thread.
    """
    noise = SeededNoise(7)
    decoder = SpeculativeDecoder(
        model, drafter, length, SamplerChain(SamplingParams(temperature=0.8)), is_end=lambda token: False
    )
    model.rollback(0)
    model.decode(PROMPT[:-1], 0)
    rounds = decoder.rounds(list(PROMPT), tokens, CoupledVerification(noise))
    first = next(rounds)
    started = process_time()
    return [first, *rounds], process_time() - started


def pass_costs(model: LlamaModel, repeats: int) -> dict[str, float]:
    """The fewest milliseconds of passes by their length, and of one after the first of so many guesses was wrong."""
    found: dict[str, list[float]] = {}
    for repeat in range(repeats):
        for length in LENGTHS:
            text = [*PROMPT, *([repeat % 200] * (length - 1))]
            advance(model, PROMPT[:-1], 1)
            started = perf_counter()
            advance(model, text, length)
            found.setdefault(str(length), []).append(perf_counter() - started)
            if length in (2, 5):
                started = perf_counter()
                advance(model, [*PROMPT, 201], 1)
                found.setdefault(f"after {length}", []).append(perf_counter() - started)
    return {name: 1e3 * min(each) for name, each in found.items()}


def compare(
    model: LlamaModel, draft: LlamaModel | None, curve: CostCurve, right: float, tokens: int, repeats: int
) -> tuple[float, Sequence[Round]]:
    """How many times as fast as plain decoding the guesses make it, and the rounds of the last try."""
    ratios, drafted = [], list[Round]()
    plain, before = answer(model, NoDrafter(), FixedLength(0), tokens)
    text = [token for step in plain for token in step.tokens]
    for seed in range(repeats):
        wrapped = None if draft is None else ModelDrafter(draft, lambda token: False, draft.n_ctx, 256)
        drafter = Scripted(script(text, right, seed), wrapped)
        known = CostCurve(dict(curve.snapshot()))
        names = (NGRAM,) if draft is None else (MODEL,)
        length = AdaptiveLength(known, sources(names, CostCurve(), 0.3), MOST, 0.0 if model.takes_back(MOST) else 1.0)
        drafted, took = answer(model, drafter, length, tokens)
        _, after = answer(model, NoDrafter(), FixedLength(0), tokens)
        assert [token for step in drafted for token in step.tokens] == text
        ratios.append((before + after) / 2 / took)
        before = after
    return geometric_mean(ratios), drafted


def report(model: LlamaModel, draft: LlamaModel | None, curve: CostCurve, given: argparse.Namespace) -> None:
    """A line for each share of right guesses."""
    for right in given.right:
        ratio, rounds = compare(model, draft, curve, right, given.tokens, given.repeats)
        guessed = [step for step in rounds if step.draft]
        again = sum(step.reread for step in rounds)
        print(
            f"  {'free' if draft is None else 'model':<6}{right:>6.0%} right: {ratio:.3f} x plain; "
            f"{len(guessed)} of {len(rounds)} rounds drafted {sum(len(step.draft) for step in guessed)}, "
            f"{again} tokens read again",
            flush=True,
        )


def main() -> None:
    """Print a table for each architecture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--architecture", nargs="+", default=[*get_args(Architecture)])
    parser.add_argument("--right", nargs="*", type=float, default=[0.0, 0.2, 0.5, 0.9])
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    config = LlamaConfig(n_ctx=1024, threads=1, cache_type_k="f32", cache_type_v="f32")
    for architecture in given.architecture:
        shape = TinyModel(architecture=architecture, width=given.width, layers=given.layers)
        with TemporaryDirectory() as folder:
            target = write_tiny(Path(folder) / "target.gguf", shape)
            small = write_tiny(Path(folder) / "draft.gguf", TinyModel(width=given.width // 2, layers=4))
            windowed = replace(config, whole_windows=False) if architecture == "gemma2" else config
            with LlamaModel.load(target, windowed) as model, LlamaModel.load(small, config) as draft:
                found = pass_costs(model, 20)
                print(architecture, ", ".join(f"{name}: {cost:.2f}" for name, cost in found.items()), flush=True)
                curve = CostCurve({length: found[str(length)] / 1e3 for length in LENGTHS})
                report(model, None, curve, given)
                report(model, draft, curve, given)


if __name__ == "__main__":
    main()
