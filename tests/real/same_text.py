"""Promise one, measured: the texts of a real pair with drafting on and off, and every parting explained.

    python -m tests.real.same_text TARGET DRAFT [--cache-type-v q8_0] [--quick]

Runs 10 prompts at temperatures 0, 0.8 and 1.2 with 2 seeds, 128 tokens each, drafted by the model and by n-grams with
1, 4 and 8 tokens a round, against plain decoding, and prints one line for each text that differs.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import Drafter, NoDrafter
from specchat.speculative.events import GenerationFinished
from specchat.speculative.explain import Explainer
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.lazy import loaded_model_drafter
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message
from specchat.speculative.ngram import NgramDrafter
from specchat.speculative.sampling import SamplerChain, SamplingParams

PROMPTS = {
    "code": "Write a Python function that merges two sorted lists, with a docstring and three test cases.",
    "edit": "Rename the variable x to total and print the whole code again:\n\nx = 0\nfor i in range(10):\n"
    "    x = x + i\n    if x > 20:\n        x = x - 5\nprint(x)\n",
    "json": "Give me a JSON array of five cities with name, country, population and a list of two sights each.",
    "list": "List twenty common kitchen tools, one a line, each with three words on what it is for.",
    "prose": "Explain to a child why the moon seems to change its shape during a month.",
    "story": "Tell a short story about a lighthouse keeper who finds a letter in a bottle.",
    "translation": "Translate into French and German: The train to the coast leaves at nine, but it is often late.",
    "summary": "Summarise in two sentences: Photosynthesis turns light, water and carbon dioxide into sugar and "
    "oxygen. It happens in the chloroplasts of plants, algae and some bacteria, and feeds nearly all life on earth.",
    "question": "What is the difference between a process and a thread, and when would you use which?",
    "maths": "A shop sells pens at 3 for 2 euros. How much do 21 pens cost, and how many pens do you get for 18 euros?",
}
TEMPERATURES = (0.0, 0.8, 1.2)
SEEDS = (1, 2)
LENGTHS = (1, 4, 8)


@dataclass(frozen=True)
class Case:
    """One text to generate."""

    kind: str
    temperature: float
    seed: int
    max_tokens: int

    @property
    def chain(self) -> SamplerChain:
        return SamplerChain(SamplingParams(temperature=self.temperature))


def prompt_of(pair: Pair, case: Case) -> list[int]:
    """The tokens of the question of a case."""
    return pair.chat_tokens([Message("user", PROMPTS[case.kind])])


def generate(pair: Pair, case: Case, drafter: Drafter, length: int) -> GenerationFinished:
    """The text of a case from empty caches."""
    pair.target.rollback(0)
    decoder = replace(pair.session.decoder, drafter=drafter, draft_length=FixedLength(length), chain=case.chain)
    session = pair.session.afresh(decoder, case.seed)
    *_, last = session.generate(prompt_of(pair, case), max_tokens=case.max_tokens)
    assert isinstance(last, GenerationFinished)
    return last


def explainer(pair: Pair, case: Case) -> Explainer:
    """What looks at partings of a case."""
    return Explainer(
        target=pair.target,
        chain=case.chain,
        seed=case.seed,
        n_ctx=pair.target.n_ctx,
        n_batch=pair.target.n_batch,
        longest=pair.target.max_rows,
    )


def cases(max_tokens: int, kinds: Sequence[str] = tuple(PROMPTS)) -> Iterator[Case]:
    """All combinations; at temperature 0 the seed does nothing."""
    for seed, temperature, kind in product(SEEDS, TEMPERATURES, kinds):
        if temperature or seed == SEEDS[0]:
            yield Case(kind, temperature, seed, max_tokens)


@dataclass
class Tally:
    """What the comparisons came to."""

    compared: int = 0
    differing: int = 0
    unexplained: int = 0
    longest_context: int = 0
    tokens_per_round: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        rounds = f"{min(self.tokens_per_round):.2f} or more" if self.tokens_per_round else "not measured"
        return (
            f"{self.compared} texts compared, {self.differing} differ, {self.unexplained} of them not explained by "
            f"rounding; longest context {self.longest_context} tokens; tokens per round on code, drafted by the model, "
            f"4 a round: {rounds}"
        )


def compare(pair: Pair, case: Case, tally: Tally) -> Iterator[str]:
    """One line for each drafted text of a case that differs from the plain one."""
    plain = generate(pair, case, NoDrafter(), 0)
    tally.longest_context = max(tally.longest_context, plain.stats.prompt_tokens + plain.stats.completion_tokens)
    for name, length in product(("model", "ngram"), LENGTHS):
        drafter = loaded_model_drafter(pair.session.decoder.drafter) if name == "model" else NgramDrafter()
        assert drafter is not None, "a draft model was loaded"
        drafted = generate(pair, case, drafter, length)
        tally.compared += 1
        if (name, length, case.kind) == ("model", 4, "code"):
            tally.tokens_per_round.append(drafted.stats.tokens_per_round or 0.0)
        if drafted.tokens == plain.tokens and drafted.text == plain.text:
            continue
        tally.differing += 1
        parting = explainer(pair, case).explain(prompt_of(pair, case), plain.tokens, drafted.tokens)
        assert parting is not None, "one of the texts goes on where the other ends"
        tally.unexplained += not parting.is_near_tie
        yield (
            f"{case.kind} T={case.temperature} seed={case.seed} {name} {length}: parts at token {parting.place}, "
            f"swapped by {parting.distance:.4f}, rounding {parting.rounding:.4f}: "
            f"{'near tie' if parting.is_near_tie else 'NO NEAR TIE'}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("draft", type=Path)
    parser.add_argument("--cache-type-v", default="f16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--quick", action="store_true", help="two prompts only")
    arguments = parser.parse_args()
    config = LlamaConfig(n_ctx=1024, threads=arguments.threads, cache_type_v=arguments.cache_type_v)
    started = time.monotonic()
    pair_config = PairConfig(
        target=arguments.target,
        draft=arguments.draft,
        target_config=config,
        draft_config=LlamaConfig(threads=arguments.threads),
        draft_length=max(LENGTHS),
    )
    with load_pair(pair_config, Interrupt()) as pair:
        tally = Tally()
        for case in cases(arguments.tokens, list(PROMPTS)[:2] if arguments.quick else list(PROMPTS)):
            for line in compare(pair, case, tally):
                print(line, flush=True)
            print(f"{case.kind} T={case.temperature} seed={case.seed} done: {tally}", file=sys.stderr, flush=True)
    print(f"{tally}; {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
