"""Measuring, with its progress on the terminal."""

from dataclasses import dataclass

from specchat.speculative.bench.answer import Pairing
from specchat.speculative.bench.cases import Case
from specchat.speculative.bench.report import Report, costs_of, report
from specchat.speculative.bench.runner import Runner
from specchat.speculative.bench.schedule import Schedule, Turn
from specchat.speculative.bench.variants import PLAIN, cost_curves
from specchat.speculative.errors import Cancelled, SpecchatError

from ..environment import Environment
from ..interruption import stopping
from .progress import BenchProgress
from .setup import Contest, labels


@dataclass(frozen=True, slots=True)
class Measured:
    """What is known, and the error that ended the measuring, if one did."""

    report: Report
    failure: SpecchatError | None


def measure(env: Environment, contest: Contest, quiet: bool) -> Measured:
    """Everything that can be known in the time that there is, or until Ctrl-C or an error.

    Raises `SpecchatError` where one comes before anything is known.
    """
    engine = contest.variants[PLAIN].engine
    names = labels(contest.plan.cases)
    failure: SpecchatError | None = None
    with BenchProgress(env, contest.plan.seconds, shown=not quiet) as progress, stopping(engine.session.interrupt):
        runner = Runner(most=contest.tokens, seed=contest.seed, clock=env.now, tick=progress.tick)

        def race(name: str, case: Case, turn: Turn) -> Pairing:
            progress.show(f"{names[case]} · {name}")
            return runner.race(*contest.opponents(name, turn.swapped), case, turn.other_first)

        schedule = Schedule(plan=contest.plan, race=race, clock=env.now)
        try:
            for variant in (*contest.opponents(PLAIN), *tuple(contest.variants.values())[1:]):
                progress.show(f"waking up · {variant.name}")
                runner.warm_up(variant, contest.plan.cases[0])
            progress.start()
            for _ in schedule.pairings():
                pass
        except Cancelled:
            schedule.ending = "stopped"
        except SpecchatError as error:
            if not schedule.done:
                raise
            failure = error
    target, draft = cost_curves(engine)
    longest = max([0, *(length for pair in schedule.done for length in pair.other.drafted)])
    costs = costs_of(target, draft, max(1, longest))
    seconds = schedule.elapsed if schedule.done else 0.0
    return Measured(report(schedule.done, costs, schedule.ending or "stopped", seconds), failure)
