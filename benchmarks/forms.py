"""What drafting gains where the answer has a form, and whether what comes of it is the same, and valid.

    python -m benchmarks.forms --target TARGET [--draft DRAFT|ngram] [--threads 1] [--tokens 200] [--pairs 6]
        [--minutes 30] [--only NAME]…

For each schema, answers plain and drafted, a round of each in turn and each as in a new process, with one seed a pair:
the ratio of their speeds, whether they are equal, whether each that came to its end validates, and what following the
grammar takes of each plain token. `--minutes` are dealt out to the schemas alike; each has one pair at least.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from time import perf_counter

import jsonschema

from specchat.speculative.bench.answer import Answer, Pairing
from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.bench.ratios import Estimate, geometric_mean, median_estimate
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.variants import Engine, challengers, plain
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.constraint.matcher import Mask, Matcher
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.constraint import constraint_on, forecasts_on
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message

from .form_cases import CASES, FormCase, Schema

CHECKER = jsonschema.Draft202012Validator.FORMAT_CHECKER
ASK = "{question} Answer with JSON that meets this schema:\n{schema}"


@dataclass
class Watch:
    """Seconds, added up."""

    seconds: float = 0.0


@dataclass(frozen=True)
class TimedMatcher:
    """A matcher whose time is counted."""

    matcher: Matcher
    watch: Watch

    def allows(self, token: int) -> bool:
        """See `Matcher`."""
        started = perf_counter()
        allowed = self.matcher.allows(token)
        self.watch.seconds += perf_counter() - started
        return allowed

    def mask(self) -> Mask:
        """See `Matcher`."""
        started = perf_counter()
        mask = self.matcher.mask()
        self.watch.seconds += perf_counter() - started
        return mask

    def move(self, back: int, tokens: Sequence[int]) -> bool:
        """See `Matcher`."""
        started = perf_counter()
        read = self.matcher.move(back, tokens)
        self.watch.seconds += perf_counter() - started
        return read


@dataclass
class Outcome:
    """What came of a schema."""

    pairings: list[Pairing] = field(default_factory=list)
    finished: int = 0
    valid: int = 0
    watch: Watch = field(default_factory=Watch)

    @property
    def ratios(self) -> list[float]:
        """How many times as fast drafted answers were, behind the first token."""
        speeds = ((each.plain.per_second, each.other.per_second) for each in self.pairings)
        return [other / slow for slow, other in speeds if slow and other]

    @property
    def equal(self) -> int:
        """The pairs with one text."""
        return sum(not each.parted for each in self.pairings)

    @property
    def mask_seconds(self) -> float:
        """What following the grammar took of a plain token."""
        return self.watch.seconds / sum(len(each.plain.tokens) for each in self.pairings)

    def row(self, name: str) -> str:
        """A line of the table."""
        tokens = median(len(each.plain.tokens) for each in self.pairings)
        per_round = median(len(each.other.tokens) / len(each.other.drafted) for each in self.pairings)
        return (
            f"{name:<17} {tokens:5.0f} {_speed(each.plain for each in self.pairings):8.1f} "
            f"{_speed(each.other for each in self.pairings):8.1f} {per_round:6.2f}   {self._estimate():<22} "
            f"{self.equal}/{len(self.pairings):<4} {self.valid}/{self.finished:<5} {self.mask_seconds * 1000:.3f} ms"
        )

    def _estimate(self) -> str:
        return spelled(median_estimate(self.ratios)) if self.ratios else "too short"


def _speed(answers: Iterable[Answer]) -> float:
    return median(each.per_second or 0.0 for each in answers)


def spelled(estimate: Estimate) -> str:
    """A ratio with its interval, if there is one."""
    interval = estimate.interval
    return f"× {estimate.value:.2f}" + (f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else "")


@dataclass(frozen=True)
class Bench:
    """A loaded pair, and its target once more for plain answers."""

    pair: Pair
    twin: LlamaModel
    most: int
    temperature: float

    def measure(self, case: FormCase, pairs: int, deadline: float) -> Outcome:
        """Pairs of answers to one question until there are enough, or it is too late for another one."""
        outcome = Outcome()
        grammar = Grammar("JSON schema", json.dumps(case.schema), case.name)
        make = constraint_on(self.pair.target.vocabulary, grammar)
        assert make is not None
        forecast = forecasts_on(self.pair.target.vocabulary, grammar)
        drafted = self._engine(replace(self.pair.session, matcher=make, forecast=forecast))
        timed = self._engine(replace(self.pair.session, matcher=lambda: TimedMatcher(make(), outcome.watch)))
        variants = plain(timed.beside(self.twin)), challengers(drafted)[0]
        shown = json.dumps(case.schema, ensure_ascii=False)
        asked = Case(Prompt(case.name, ASK.format(question=case.question, schema=shown)), self.temperature)
        Runner(most=4, seed=0, clock=perf_counter).race(*variants, asked)
        outcome.watch.seconds = 0.0
        while len(outcome.pairings) < pairs and (not outcome.pairings or perf_counter() < deadline):
            number = len(outcome.pairings)
            runner = Runner(most=self.most, seed=number + 1, clock=perf_counter)
            pairing = runner.race(*variants, asked, other_first=number % 2 == 1)
            outcome.pairings.append(pairing)
            for answer in (pairing.plain, pairing.other):
                self._judge(answer, case.schema, outcome)
        return outcome

    def _engine(self, session) -> Engine:  # type: ignore[no-untyped-def]
        return Engine(session, lambda text: self.pair.chat_tokens([Message("user", text)]))

    def _judge(self, answer: Answer, schema: Schema, outcome: Outcome) -> None:
        if answer.finish_reason != "stop":
            return
        outcome.finished += 1
        text = b"".join(map(self.pair.target.vocabulary.piece, answer.tokens)).decode()
        try:
            jsonschema.validate(json.loads(text), schema, format_checker=CHECKER)
            outcome.valid += 1
        except (ValueError, jsonschema.ValidationError) as error:
            print(f"NOT VALID: {text!r}: {error}")


def main() -> None:
    """Print a line for each schema, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--draft", default="ngram", help="a GGUF file, or ngram")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES], help="repeatable")
    given = parser.parse_args()
    loaded = LlamaConfig(threads=given.threads, n_ctx=2048)
    config = PairConfig(
        target=given.target,
        draft="ngram" if given.draft == "ngram" else Path(given.draft),
        target_config=loaded,
        draft_config=loaded,
        grammar=Grammar("JSON schema", "{}", "any"),
    )
    cases = [case for case in CASES if not given.only or case.name in given.only]
    with ExitStack() as opened:
        pair = opened.enter_context(load_pair(config, Interrupt()))
        bench = Bench(pair, opened.enter_context(pair.twin()), given.tokens, given.temperature)
        pair.measure_costs()
        print(f"{'schema':<17} tokens  plain/s drafted/s a pass  speed (95 %)           equal valid   mask a token")
        started, outcomes = perf_counter(), []
        for number, case in enumerate(cases, 1):
            outcomes.append(bench.measure(case, given.pairs, started + given.minutes * 60 * number / len(cases)))
            print(outcomes[-1].row(case.name), flush=True)
    if rated := [outcome.ratios for outcome in outcomes if outcome.ratios]:
        print(f"all: {spelled(geometric_mean(rated))}, the geometric mean of the medians")
    pairs, equal = sum(len(each.pairings) for each in outcomes), sum(each.equal for each in outcomes)
    finished, valid = sum(each.finished for each in outcomes), sum(each.valid for each in outcomes)
    print(f"{equal} of {pairs} pairs are equal, {valid} of {finished} finished answers are valid")


if __name__ == "__main__":
    main()
