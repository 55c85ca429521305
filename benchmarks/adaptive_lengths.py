"""Adaptive draft lengths against the best fixed length of a kind of text, chosen on one half and scored on the other.

    python -m benchmarks.adaptive_lengths TARGET DRAFT [--lengths 0,1,2,3,4,5,6,8,10,12] [--kinds …]
        [--temperatures 0,0.8] [--json FILE]

The halves are the two sets of packaged prompts. Answers come one after the other, each as in a new process, in an order
that turns from case to case; length 0 is plain decoding, the others are the draft model's alone. The bars: 0.97 of the
best length on every kind, and no single length faster over all kinds.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean
from time import perf_counter

from specchat.speculative.bench.cases import KINDS, Case, cases_of, packaged_prompts
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import ADAPTIVE, Engine, Variant, challengers, plain

from .measured_pair import engine_of, measured_pair

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


def contestants(engine: Engine, lengths: Sequence[int]) -> tuple[Variant, ...]:
    """Adaptive lengths, and fixed ones."""
    drafted = challengers(engine, [length for length in lengths if length])
    return (*drafted, plain(engine, PLAIN)) if 0 in lengths else drafted


def timed(variants: Sequence[Variant], half: int, case: Case, turn: int, runner: Runner) -> Iterator[Timed]:
    """Every variant on a case; `turn` says which is first. Nothing where an answer loops."""
    order = [variants[(turn + place) % len(variants)] for place in range(len(variants))]
    answers = {variant.name: runner.answer(variant, case) for variant in order}
    if any(answer.loops for answer in answers.values()):
        return
    count = min(len(answer.tokens) for answer in answers.values())
    for name, answer in answers.items():
        speed = count / answer.seconds_for(count)
        yield Timed(half, case.prompt.kind, case.temperature, name, speed)


def speeds(found: Sequence[Timed]) -> Mapping[str, float]:
    """The geometric mean of each variant."""
    names = dict.fromkeys(each.variant for each in found)
    return {name: geometric_mean(each.speed for each in found if each.variant == name) for name in names}


def best_length(known: Mapping[str, float]) -> str:
    """The fastest of the fixed lengths."""
    return max((name for name in known if name != ADAPTIVE), key=known.__getitem__)


def compared(found: Sequence[Timed]) -> Iterator[str]:
    """A line a kind, then the means over all kinds."""
    if not found:
        yield "Every answer repeats itself, so there is nothing to compare."
        return
    ratios = []
    for kind in dict.fromkeys(each.kind for each in found):
        halves = {half: speeds([each for each in found if (each.kind, each.half) == (kind, half)]) for half in HALVES}
        if not all(halves.values()):
            yield f"{kind:<12} loops in one half"
            continue
        scored = []
        for half, other in (HALVES, HALVES[::-1]):
            best = best_length(halves[other])
            scored.append((halves[half][ADAPTIVE] / halves[half][best], f"{best} on set {half}"))
        ratios.append(geometric_mean(ratio for ratio, _ in scored))
        parts = ", ".join(f"{ratio:.3f} of {against}" for ratio, against in scored)
        yield f"{kind:<12} adaptive {ratios[-1]:.3f} of the best: {parts}"
    if ratios:
        yield f"{'mean':<12} {geometric_mean(ratios):.3f}"
    for name, speed in speeds(found).items():
        yield f"{name:<12} {speed:.2f} tokens/s over all"


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
    parser.add_argument("--json", type=Path, help="keep every answer here")
    asked = parser.parse_args(arguments)
    lengths = [int(length) for length in asked.lengths.split(",")]
    temperatures = [float(temperature) for temperature in asked.temperatures.split(",")]
    runner = Runner(most=asked.tokens, seed=0, clock=perf_counter)
    prompts = [(half, packaged_prompts(asked.kinds.split(","), half)) for half in HALVES]
    cases = [(half, case) for half, of_half in prompts for case in cases_of(of_half, temperatures)]
    found: list[Timed] = []
    with measured_pair(asked.target, asked.draft, asked.threads) as pair:
        variants = contestants(engine_of(pair), lengths)
        for variant in variants:
            runner.warm_up(variant, cases[0][1])
        for turn, (half, case) in enumerate(cases):
            found += timed(variants, half, case, turn, runner)
            if asked.json:
                asked.json.write_text(json.dumps([asdict(each) for each in found]), encoding="utf-8")
    print("\n".join(compared(found)))


if __name__ == "__main__":
    main()
