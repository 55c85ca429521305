"""Adaptive lengths on simulated machines and texts; the figures of real ones are measured by `specchat bench`."""

from statistics import geometric_mean, mean

import pytest

from specchat.speculative.adaptive import AdaptiveLength
from specchat.speculative.calibration import Calibration
from specchat.speculative.costs import CostCurve
from specchat.speculative.draft_length import DraftLength, FixedLength

from .simulation import FLAT, FREE, STEEP, STEPPED, Machine, Simulation

MACHINES = {"stepped": STEPPED, "steep": STEEP, "flat": FLAT, "free": FREE}
CODE, PROSE, STORY = [0.96] * 160, [0.64] * 160, [0.55] * 160
SWITCHING = ([0.6] * 60 + [0.96] * 80) * 2
TEXTS = {"code": CODE, "json": [0.91] * 160, "middling": [0.78] * 160, "prose": PROSE, "story": STORY}
SEEDS = range(4)


def adaptive(machine: Machine, simulation: Simulation, most: int = 12) -> AdaptiveLength:
    reading = {1: machine.step, 2: 2 * machine.step, 64: machine.step + 63 * machine.reading}
    return AdaptiveLength(
        target_costs=CostCurve(dict(machine.passes)),
        draft_costs=CostCurve(reading) if machine.step else None,
        most=most,
        clock=lambda: simulation.now,
    )


def seconds(machine: Machine, chances: list[float], seed: int, fixed: int | None = None) -> float:
    simulation = Simulation(machine, chances, seed, behind=40)
    length: DraftLength = adaptive(machine, simulation) if fixed is None else FixedLength(fixed)
    return simulation.run(length)


def speedup(machine: Machine, chances: list[float], fixed: int | None = None) -> float:
    """Over plain decoding, as the geometric mean of a few texts."""
    return geometric_mean(
        seconds(machine, chances, seed, fixed=0) / seconds(machine, chances, seed, fixed) for seed in SEEDS
    )


@pytest.mark.parametrize("text", [*TEXTS, "switching"])
@pytest.mark.parametrize("machine", MACHINES)
def test_it_is_never_slower_than_plain_decoding(machine: str, text: str):
    chances = {**TEXTS, "switching": SWITCHING}[text]
    assert speedup(MACHINES[machine], chances) >= 0.96


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("machine", MACHINES)
def test_its_regret_against_the_best_fixed_length_is_bounded(machine: str, text: str):
    best = max(speedup(MACHINES[machine], TEXTS[text], fixed) for fixed in range(13))
    assert speedup(MACHINES[machine], TEXTS[text]) >= 0.9 * best


@pytest.mark.parametrize("machine", ["stepped", "flat", "free"])
def test_no_fixed_length_is_better_on_a_text_that_switches(machine: str):
    best = max(speedup(MACHINES[machine], SWITCHING, fixed) for fixed in range(13))
    assert speedup(MACHINES[machine], SWITCHING) > best


def test_it_does_not_probe_where_even_perfect_drafts_could_not_pay():
    simulation = Simulation(STEEP, [0.99] * 500, behind=40)
    simulation.run(adaptive(STEEP, simulation))
    assert set(simulation.lengths) == {0}


def test_it_follows_a_text_that_turns_within_a_few_tokens():
    turn = 120
    for seed in SEEDS:
        simulation = Simulation(STEPPED, [0.5] * turn + [0.97] * turn + [0.5] * turn, seed)
        simulation.run(adaptive(STEPPED, simulation))
        lengths = simulation.lengths
        assert mean(lengths[turn + 15 : 2 * turn]) > 3
        assert mean(lengths[2 * turn + 15 :]) < 1


def test_a_short_answer_to_a_long_prompt_is_not_worth_the_drafts_reading():
    simulation = Simulation(STEPPED, [0.96] * 20, behind=2000)
    simulation.run(adaptive(STEPPED, simulation))
    assert set(simulation.lengths) == {0}


def test_a_long_answer_earns_the_reading_back_and_loses_little_before_it_does():
    plain, drafted = (seconds(STEPPED, [0.96] * 600, 0, fixed) for fixed in (0, None))
    assert drafted < plain


def test_ngrams_that_were_wrong_for_long_are_tried_again():
    """Their leads take few values, so a few wrong guesses say something about all of them."""
    simulation = Simulation(FREE, [0.2] * 200 + [0.97] * 400, coarse=True)
    simulation.run(adaptive(FREE, simulation))
    assert mean(simulation.lengths[100:200]) < 0.5
    assert mean(simulation.lengths[400:]) > 1


def test_it_never_drafts_more_than_it_may():
    simulation = Simulation(FLAT, [0.99] * 200)
    simulation.run(adaptive(FLAT, simulation, most=3))
    assert max(simulation.lengths) == 3


def test_a_calibration_learns_how_likely_a_lead_is_right():
    calibration = Calibration(offset=0.0, slope=1.0)
    for _ in range(300):
        calibration.observe(0.5, right=False)
        calibration.observe(4.0, right=True)
    assert calibration.chance(0.5) < 0.2
    assert calibration.chance(4.0) > 0.9


def test_a_calibration_is_optimistic_only_where_it_knows_little():
    calibration = Calibration(offset=0.0, slope=1.0)
    before = calibration.chance(1.0, optimism=1.0) - calibration.chance(1.0)
    for place in range(200):
        calibration.observe(1.0, right=place % 2 == 0)
    assert calibration.chance(1.0, optimism=1.0) - calibration.chance(1.0) < before
    assert calibration.chance(1.0) == pytest.approx(0.5, abs=0.1)


def test_a_cost_curve_keeps_its_steps_and_is_not_bent_by_a_busy_moment():
    curve = CostCurve({1: 10.0, 2: 20.0, 6: 22.0})
    for _ in range(20):
        curve.observe(1, 10.0)
        curve.observe(6, 22.0)
    curve.observe(6, 500.0)
    assert curve.at(1) == pytest.approx(10, rel=0.1)
    assert curve.at(6) == pytest.approx(22, rel=0.1)
    assert curve.at(4) == pytest.approx(21, rel=0.1)


def test_a_cost_curve_follows_what_makes_all_passes_dearer():
    curve = CostCurve({1: 10.0, 6: 22.0})
    for _ in range(100):
        curve.observe(1, 15.0)
    assert curve.at(6) == pytest.approx(33, rel=0.1)


def test_a_pass_that_seemed_dearer_than_a_longer_one_was_disturbed():
    assert CostCurve({1: 10.0, 2: 300.0, 3: 24.0}).at(2) == 24
