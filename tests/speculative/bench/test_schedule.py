"""The order of the measurements, on a clock that the measurements move."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import pytest

from specchat.speculative.bench.answer import Answer, Pairing
from specchat.speculative.bench.cases import Case
from specchat.speculative.bench.schedule import Plan, Schedule, Turn
from specchat.speculative.errors import Cancelled, DecodeError

from .making import CODE, PROSE, answer


@dataclass
class Machine:
    """Answers take as many seconds as `speeds` says of the variant, and loop for kinds that are `looping`.

    `error` stops the n-th answer, where `cancel_at` is n.
    """

    speeds: Mapping[str, float]
    cancel_at: int = -1
    error: Exception = field(default_factory=Cancelled)
    looping: Collection[str] = ()
    now: float = 100.0
    asked: list[tuple[str, str]] = field(default_factory=list)

    def race(self, variant: str, case: Case, turn: Turn) -> Pairing:
        order = (variant, "plain") if turn.other_first else ("plain", variant)
        answers = [self._answer(name, case) for name in order]
        return Pairing(case, variant, *(reversed(answers) if turn.other_first else answers))

    def _answer(self, variant: str, case: Case) -> Answer:
        if len(self.asked) == self.cancel_at:
            raise self.error
        self.asked.append((variant, case.prompt.kind))
        self.now += self.speeds[variant]
        return answer(self.speeds[variant], looping=case.prompt.kind in self.looping)

    def run(self, plan: Plan) -> Schedule:
        schedule = Schedule(plan=plan, race=self.race, clock=lambda: self.now)
        assert list(schedule.pairings()) == schedule.done
        return schedule


def plan(*cases: Case, variants: tuple[str, ...] = ("adaptive",), seconds: float = 1000.0) -> Plan:
    return Plan(cases=cases, variants=variants, seconds=seconds)


def test_it_stops_when_all_is_known_well_enough():
    schedule = Machine({"plain": 2.0, "adaptive": 1.0}).run(plan(CODE, PROSE))
    assert schedule.ending == "narrow"
    assert sum(pair.variant == "adaptive" for pair in schedule.done) == 2 * 6
    assert schedule.speedup("adaptive", CODE).value == 2.0


def test_a_pair_that_was_never_measured_may_take_as_long_as_the_longest():
    machine = Machine({"plain": 2.0, "fixed 1": 20.0, "adaptive": 1.0})
    schedule = machine.run(plan(CODE, PROSE, variants=("adaptive", "fixed 1"), seconds=35.0))
    assert [pair.variant for pair in schedule.done] == ["adaptive", "fixed 1"]


def test_it_stops_before_a_pair_that_would_take_longer_than_the_time_left():
    machine = Machine({"plain": 2.0, "adaptive": 1.0})
    schedule = machine.run(plan(CODE, seconds=14.0))
    assert schedule.ending == "time"
    assert schedule.elapsed <= 14.0 < schedule.elapsed + 4.0


def test_the_first_pair_is_done_however_long_it_takes():
    schedule = Machine({"plain": 200.0, "adaptive": 100.0}).run(plan(CODE, seconds=1.0))
    assert (schedule.ending, len(schedule.done)) == ("time", 1)


def test_ctrl_c_keeps_the_finished_pairs():
    schedule = Machine({"plain": 2.0, "adaptive": 1.0}, cancel_at=5).run(plan(CODE))
    assert (schedule.ending, len(schedule.done)) == ("stopped", 2)
    assert Machine({}, cancel_at=0).run(plan(CODE)).done == []


def test_pairs_take_turns_in_who_is_first_and_kinds_in_who_is_next():
    machine = Machine({"plain": 2.0, "adaptive": 1.0})
    machine.run(plan(CODE, PROSE, seconds=25.0))
    assert machine.asked == [
        *[("plain", "code"), ("adaptive", "code")],
        *[("adaptive", "prose"), ("plain", "prose")],
        *[("plain", "code"), ("plain", "code")],
        *[("adaptive", "code"), ("plain", "code")],
        *[("plain", "prose"), ("adaptive", "prose")],
        *[("plain", "prose"), ("plain", "prose")],
        *[("plain", "code"), ("adaptive", "code")],
    ]


def test_in_four_laps_each_kind_meets_plain_in_all_four_ways():
    met: dict[str, list[Turn]] = {}
    machine = Machine({"plain": 2.0, "adaptive": 1.0})

    def race(variant: str, case: Case, turn: Turn) -> Pairing:
        if variant == "adaptive":
            met.setdefault(case.prompt.kind, []).append(turn)
        return machine.race(variant, case, turn)

    schedule = Schedule(plan=plan(CODE, PROSE), race=race, clock=lambda: machine.now)
    assert len(list(schedule.pairings())) > 8
    ways = {Turn(first, swapped) for first in (False, True) for swapped in (False, True)}
    assert all(set(turns[:4]) == ways for turns in met.values())


def test_a_pair_knows_which_answer_was_plain_in_either_order():
    schedule = Machine({"plain": 2.0, "adaptive": 1.0, "plainer": 4.0}).run(
        plan(CODE, variants=("adaptive", "plainer"))
    )
    assert {(pair.variant, pair.speedup) for pair in schedule.done} == {
        ("adaptive", 2.0),
        ("plainer", 0.5),
        ("plain", 1.0),
    }


def test_an_error_keeps_the_finished_pairs_and_goes_on_to_the_caller():
    machine = Machine({"plain": 2.0, "adaptive": 1.0}, cancel_at=5, error=DecodeError("It broke."))
    schedule = Schedule(plan=plan(CODE), race=machine.race, clock=lambda: machine.now)
    with pytest.raises(DecodeError):
        list(schedule.pairings())
    assert (schedule.ending, len(schedule.done)) == ("failed", 2)


def test_what_loops_beside_what_does_not_leaves_the_rest_known():
    schedule = Machine({"plain": 2.0, "adaptive": 1.0}, looping={"prose"}).run(plan(CODE, PROSE))
    assert schedule.ending == "narrow"


def test_what_loops_is_not_measured_for_ever():
    schedule = Machine({"plain": 2.0, "adaptive": 1.0}, looping={"code"}).run(plan(CODE))
    assert schedule.ending == "looping"
    assert sum(pair.variant == "adaptive" for pair in schedule.done) == 2
    assert schedule.speedup("adaptive", CODE) is None
