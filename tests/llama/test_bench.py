"""A benchmark of real llama.cpp models, tiny ones."""

from dataclasses import dataclass
from itertools import islice
from math import inf
from time import perf_counter

from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.bench.report import costs_of, report
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.schedule import Plan, Schedule
from specchat.speculative.bench.variants import Engine, challengers, cost_curves, opponents, plain
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig

from ..tiny import user

CASES = tuple(Case(Prompt("code", "the tone in the house"), temperature) for temperature in (0.0, 0.9))


@dataclass
class Contest:
    pair: Pair

    def run(self, pairs: int) -> Schedule:
        with self.pair.twin() as twin:
            return self.run_beside(twin, pairs)

    def run_beside(self, twin: LlamaModel, pairs: int) -> Schedule:
        engine = Engine(self.pair.session, lambda text: self.pair.chat_tokens(user(text)))
        runner = Runner(most=24, seed=3, clock=perf_counter)
        variants = {each.name: each for each in (plain(engine), *challengers(engine, [2], every_source=True))}
        schedule = Schedule(
            plan=Plan(cases=CASES, variants=tuple(variants)[1:], seconds=inf),
            race=lambda name, case, turn: runner.race(
                *opponents(variants["plain"], variants[name], twin, turn.swapped), case, turn.other_first
            ),
            clock=perf_counter,
        )
        assert len(list(islice(schedule.pairings(), pairs))) == pairs
        return schedule


def test_a_tiny_pair_is_measured_and_every_text_is_the_same(write_tiny_model):
    settings = LlamaConfig(threads=1, n_ctx=512, flash_attention="off")
    config = PairConfig(
        target=write_tiny_model(layers=2),
        draft=write_tiny_model(layers=2, noise=0.1),
        target_config=settings,
        draft_config=settings,
        seed=1,
    )
    with load_pair(config, Interrupt()) as pair:
        pair.measure_costs()
        schedule = Contest(pair).run(pairs=9)  # each of four variants on both cases, and plain against itself
        engine = Engine(pair.session, lambda text: [])
        costs = costs_of(*cost_curves(engine), 4)
        found = report(schedule.done, costs, "time", schedule.elapsed)
    assert {(row.variant, row.temperature) for row in found.rows} == {
        (variant, case.temperature) for variant in ("adaptive", "model", "ngram", "fixed 2") for case in CASES
    }
    assert found.calibration.count == 1
    assert all(sum(pair.other.drafted) for pair in found.pairings if pair.variant == "fixed 2")
    assert all(pair.other.shown for pair in found.pairings if pair.variant == "adaptive")
    assert len(found.costs.target) == 5
    assert found.costs.draft > 0
    assert not any(pair.parted for pair in found.pairings)
    assert all(0 < pair.plain.first_token <= pair.plain.seconds for pair in found.pairings)
