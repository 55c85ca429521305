"""What free guesses may cost where they come to nothing: the losses of checking them, and the time to look for them."""

from collections.abc import Sequence
from statistics import geometric_mean

import pytest

from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.calibration import Calibration
from specchat.speculative.costs import CostCurve
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import FORM, MODEL, NGRAM, Guess, Offer
from specchat.speculative.purse import Purse

from .simulation import FLAT, FREE, STEEP, STEPPED, Machine, Simulation


def adaptive(machine: Machine) -> AdaptiveLength:
    """Lengths where n-grams alone guess."""
    return AdaptiveLength(CostCurve(dict(machine.passes)), sources((NGRAM,), None, 0.0), most=12)


def looking(machine: Machine, quoted: Sequence[float], share: float) -> Simulation:
    """A text and how often it was looked at, where a look takes that share of a plain pass."""
    simulation = Simulation(machine, (), quoted=quoted, looking=share * machine.passes[1])
    simulation.run(adaptive(machine))
    return simulation


@pytest.mark.parametrize("right", [0.1, 0.2, 0.3])
def test_ngrams_that_mislead_all_the_time_cost_less_than_a_fiftieth(right: float):
    ratios = []
    for seed in range(8):
        times = []
        for fixed in (True, False):
            simulation = Simulation(STEPPED, (), quoted=[right] * 300, seed=seed)
            times.append(simulation.run(FixedLength(0) if fixed else adaptive(STEPPED)))
        ratios.append(times[0] / times[1])
    assert geometric_mean(ratios) >= 0.982


def test_income_pays_debts_off_slowly_and_fills_a_purse_no_further_than_it_was_at_first():
    purse = Purse()
    purse.settle(gain=-10.0)
    purse.settle(rounds=1000)
    assert purse.spent == 1
    purse.settle(rounds=20_000)
    assert purse.spent == 0
    assert not purse.covers(2.1)


def test_a_purse_that_gained_may_lose_more_at_once_and_never_more_than_it_holds():
    purse = Purse()
    assert purse.covers(1.9)
    assert not purse.covers(2.1)
    purse.settle(gain=1.5)
    assert purse.covers(3.5)
    purse.settle(rounds=20_000)
    assert not purse.covers(3.6)
    purse.settle(gain=1000.0)
    assert not purse.covers(8.1)


@pytest.mark.parametrize("size", [4, 8, 12])
def test_a_free_guess_never_risks_more_than_an_answer_may_lose(size: int):
    """However sure it looks: a first quote that is wrong costs a short answer two tokens, not seven."""
    quote = Offer(NGRAM, iter([Guess.certain(1, 9.0)] * size))
    draft = adaptive(STEEP).take(lambda: [quote], 100)
    assert 0 < STEEP.seconds(1 + len(draft)) / STEEP.seconds(1) - 1 <= 2.0


@pytest.mark.parametrize(("share", "rounds"), [(0.0, 1), (0.001, 1), (0.005, 2), (0.02, 4), (0.5, 4)])
def test_looks_that_take_long_and_come_to_nothing_are_spaced_out(share: float, rounds: int):
    looks = looking(FREE, [0.0] * 201, share).looks
    assert 200 / rounds - 4 <= looks <= 200 / rounds + 4


def test_a_look_that_took_long_once_is_no_dear_one():
    """As the first one does, which reads the prompt."""
    simulation = Simulation(FREE, (), quoted=[0.0] * 201, looking=1.0)
    length = adaptive(FREE)
    simulation.run(length)
    simulation.looking, simulation.looks = 0.0, 0
    simulation.run(length)
    assert simulation.looks >= 195


@pytest.mark.parametrize("other", [MODEL, FORM])
def test_where_another_drafter_may_have_something_each_round_looks(other: str):
    """What a form forces, or a model would say, is worth more than the look costs."""
    simulation = Simulation(FREE, (), quoted=[0.0] * 201, looking=FREE.passes[1])
    costs = CostCurve(dict(FREE.passes))
    simulation.run(AdaptiveLength(costs, sources((NGRAM, other), CostCurve({1: 5.0}), 0.1), most=12))
    assert simulation.looks == 201


def test_rounds_that_pass_unseen_count_as_if_each_had_been_seen():
    together, one_by_one = Calibration(0.5, 1.0, _p00=0.01), Calibration(0.5, 1.0, _p00=0.01)
    together.age(40)
    for _ in range(40):
        one_by_one.age(1)
    assert together.chance(2.0, 1.0) == pytest.approx(one_by_one.chance(2.0, 1.0), rel=1e-12)
    assert together.chance(2.0, 1.0) > Calibration(0.5, 1.0, _p00=0.01).chance(2.0, 1.0)


def test_a_quote_is_found_within_four_rounds_and_then_followed_in_each():
    simulation = looking(FLAT, [0.0] * 50 + [0.99] * 100, 0.05)
    assert not any(simulation.lengths[:50])
    assert any(simulation.lengths[50:54])
    assert all(simulation.lengths[60:140])
    assert simulation.looks >= 50 / 4 + len(simulation.taken)
