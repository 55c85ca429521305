"""Adaptive draft lengths against the best fixed length of a kind of text, chosen on one half and scored on the other.

    python -m benchmarks.lengths TARGET DRAFT [--lengths 0,1,2,3,4,5,6,8,10,12] [--kinds …] [--temperatures 0,0.8]

The halves are the two sets of packaged prompts. Answers come one after the other, each as in a new process, in an order
that turns from case to case; length 0 is plain decoding, the others are the draft model's alone. The bars: 0.97 of the
best length on every kind, and no single length faster over all kinds.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import exp, log
from pathlib import Path
from statistics import fmean
from time import perf_counter

from specchat.speculative.bench.cases import KINDS, Case, cases_of, packaged_prompts
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import ADAPTIVE, Engine, Variant, challengers, plain
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message

HALVES = (1, 2)
PLAIN = "fixed 0"


@dataclass(frozen=True)
class Timed:
    """How many tokens a second an answer came in, over the whole of it, the reading of the prompt included."""

    half: int
    kind: str
    temperature: float
    variant: str
    speed: float


@contextmanager
def loaded(target: Path, draft: Path, lengths: Sequence[int], threads: int) -> Iterator[tuple[Variant, ...]]:
    """Adaptive lengths, and fixed ones."""
    machine = LlamaConfig(threads=threads, n_ctx=4096)
    config = PairConfig(target=target, draft=draft, target_config=machine, draft_config=machine)
    with load_pair(config, Interrupt()) as pair:
        pair.measure_costs()
        engine = Engine(pair.session, lambda text: pair.chat_tokens([Message("user", text)]))
        drafted = challengers(engine, [length for length in lengths if length])
        yield (*drafted, plain(engine, PLAIN)) if 0 in lengths else drafted


def timed(variants: Sequence[Variant], half: int, case: Case, turn: int, runner: Runner) -> Iterator[Timed]:
    """Every variant on a case; `turn` says which is first. None where the answer loops."""
    order = [variants[(turn + place) % len(variants)] for place in range(len(variants))]
    answers = {variant.name: runner.answer(variant, case) for variant in order}
    if any(answer.loops for answer in answers.values()):
        return
    count = min(len(answer.tokens) for answer in answers.values())
    for name, answer in answers.items():
        speed = count / answer.seconds_for(count)
        yield Timed(half, case.prompt.kind, case.temperature, name, speed)


def mean(values: Iterable[float]) -> float:
    """The geometric mean."""
    return exp(fmean(map(log, values)))


def speeds(found: Sequence[Timed], kind: str, half: int) -> Mapping[str, float]:
    """The geometric mean of each variant."""
    own = [each for each in found if (each.kind, each.half) == (kind, half)]
    names = dict.fromkeys(each.variant for each in own)
    return {name: mean(each.speed for each in own if each.variant == name) for name in names}


def best_length(known: Mapping[str, float]) -> str:
    """The fastest of the fixed lengths."""
    return max((name for name in known if name != ADAPTIVE), key=known.__getitem__)


def compared(found: Sequence[Timed]) -> Iterator[str]:
    """A line a kind, then the means over all kinds."""
    ratios = []
    for kind in dict.fromkeys(each.kind for each in found):
        halves = {half: speeds(found, kind, half) for half in HALVES}
        if not all(halves.values()):
            yield f"{kind:<12} loops in one half"
            continue
        best = {half: best_length(known) for half, known in halves.items()}
        scored = [halves[half][ADAPTIVE] / halves[half][best[other]] for half, other in (HALVES, HALVES[::-1])]
        ratios.append(mean(scored))
        chosen = ", ".join(f"{best[half]} by set {half}" for half in HALVES)
        yield f"{kind:<12} adaptive {ratios[-1]:.3f} of the best ({chosen}; {scored[0]:.3f} and {scored[1]:.3f})"
    yield f"{'mean':<12} {mean(ratios):.3f}"
    for name in dict.fromkeys(each.variant for each in found):
        yield f"{name:<12} {mean(each.speed for each in found if each.variant == name):.2f} tokens/s over all"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path)
    parser.add_argument("draft", type=Path)
    parser.add_argument("--lengths", default="0,1,2,3,4,5,6,8,10,12")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--temperatures", default="0,0.8")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="a file for every answer")
    asked = parser.parse_args(arguments)
    lengths = [int(length) for length in asked.lengths.split(",")]
    temperatures = [float(temperature) for temperature in asked.temperatures.split(",")]
    runner = Runner(most=asked.tokens, seed=0, clock=perf_counter)
    cases = {half: cases_of(packaged_prompts(asked.kinds.split(","), half), temperatures) for half in HALVES}
    found: list[Timed] = []
    with loaded(asked.target, asked.draft, lengths, asked.threads) as variants:
        for variant in variants:
            runner.warm_up(variant, cases[HALVES[0]][0])
        for turn, (half, case) in enumerate((half, case) for half, asked_in in cases.items() for case in asked_in):
            found += timed(variants, half, case, turn, runner)
    if asked.json:
        asked.json.write_text(json.dumps([asdict(each) for each in found]), encoding="utf-8")
    print("\n".join(compared(found)))


if __name__ == "__main__":
    main()
