"""What a form costs for each token: one question, a move and, where the best token is not allowed, a mask.

    python -m benchmarks.constraint_cost MODEL

Prints medians and 90th percentiles at the vocabulary of MODEL, over an answer that meets a schema. "Usual" is what a
token costs that the samplers chose and the grammar allows: the bar is 0.1 ms. "Refused" is one that it does not, where
what is left is looked up token by token, and "masked" one where nothing is left and the vocabulary is masked.
"""

import argparse
import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from specchat.speculative.constraint.constraint import Constraint
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.constraint.law import Law
from specchat.speculative.distribution import Drawable
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.constraint import constraint_on
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.noise import Purpose, SeededNoise
from specchat.speculative.sampling import Logits, SamplerChain, SamplingParams

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "born": {"type": "integer", "minimum": 1000, "maximum": 2100},
        "works": {"type": "array", "items": {"type": "string"}},
        "place": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"town": {"type": "string"}}}]},
    },
    "required": ["name", "born", "works"],
    "additionalProperties": False,
}
ANSWER = (
    '{"name": "Ada Lovelace, Countess of Lovelace", "born": 1815, "works": ["Notes on the Analytical Engine", '
    '"Letters about «poetical science»"], "place": {"town": "London", "grave": ["Hucknall", 1852, true]}}'
)


def measure(law: Law, tokens: Sequence[int], rows: Callable[[int], Logits]) -> list[float]:
    """Seconds of each choice and of the move behind it, beyond what the same choice costs without a form."""
    assert law.constraint is not None
    noise, seconds = SeededNoise(1), []

    def draw(said: Drawable, place: int) -> int:
        return said.drawn(lambda each: noise.draw(each, place, Purpose.TARGET))

    for place, token in enumerate(tokens):
        row = rows(token)
        started = perf_counter()
        draw(Law(law.chain).distribution(row, (), ()), place)
        free = perf_counter()
        draw(law.distribution(row, (), ()), place)
        law.constraint.settle((token,))
        seconds.append(perf_counter() - free - (free - started))
    return seconds


def row(noise: Logits, right: float, others: Mapping[int, float], token: int) -> Logits:
    """Logits of which that of `token` is `right`."""
    logits: Logits = noise.copy()
    logits[[token, *others]] = [right, *others.values()]
    return logits


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    with LlamaModel.load(parser.parse_args().model, LlamaConfig(n_ctx=256, threads=1)) as model:
        vocabulary = model.vocabulary
        for title, grammar in {
            "schema": Grammar("JSON schema", json.dumps(PERSON), "schema"),
            "any JSON": Grammar("JSON schema", "{}", "schema"),
        }.items():
            started = perf_counter()
            make = constraint_on(vocabulary, grammar)
            print(f"{title}: made in {perf_counter() - started:.2f} s for {vocabulary.n_tokens:,} tokens")
            assert make is not None
            chance = np.random.default_rng(0)
            noise = chance.standard_normal(vocabulary.n_tokens).astype(np.float32)
            tokens = vocabulary.tokenize(ANSWER, parse_special=False)
            [wrong] = vocabulary.tokenize("\t", parse_special=False)
            cases = {
                "usual": partial(row, noise, 30.0, {}),
                "refused": partial(row, noise, 29.0, {wrong: 31.0}),
                "masked": partial(row, noise, 20.0, {wrong: 50.0}),
            }
            for case, rows in cases.items():
                chain = SamplerChain(SamplingParams())
                seconds = measure(Law(chain, Constraint(make(), vocabulary.is_end)), tokens, rows)
                most = statistics.quantiles(seconds, n=10)[-1]
                print(f"  {case:<8} {statistics.median(seconds) * 1000:7.3f} ms, 90 %: {most * 1000:.3f} ms")


if __name__ == "__main__":
    main()
