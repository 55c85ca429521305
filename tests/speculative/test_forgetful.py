"""Never slower on targets that read again after a wrong guess, at costs as `benchmarks/forgetful.py` measured them."""

from dataclasses import replace
from itertools import pairwise
from statistics import geometric_mean, mean

import pytest

from specchat.speculative.draft_length import FixedLength

from .simulation import Machine, Simulation
from .test_adaptive import adaptive

LENGTHS = (1, 2, 3, 4, 5, 6, 8, 9, 12, 13, 17)


def machine(saving: float, *passes: float) -> Machine:
    """A target whose passes over `LENGTHS` take so many milliseconds, without what saving a state takes."""
    return Machine(dict(zip(LENGTHS, passes, strict=True)), step=0, reading=0, forgets=True, saving=saving)


JAMBA = machine(0.35, 3.37, 4.22, 4.95, 5.60, 6.15, 6.53, 8.75, 7.96, 10.65, 10.05, 13.95)
MAMBA = machine(0.25, 2.07, 2.75, 3.30, 3.80, 4.32, 4.85, 6.36, 6.20, 8.21, 8.14, 10.73)
LARGE_STATE = machine(5.0, 10, 11, 11.2, 11.5, 12, 12.2, 13, 13.5, 15, 15.2, 17)
"""A model on a GPU, whose state is copied to the memory of the CPU."""
MACHINES = {"jamba": JAMBA, "mamba": MAMBA, "large state": LARGE_STATE}
SEEDS = range(8)


def gains(costs: Machine, right: float, tokens: int, known: bool) -> list[float]:
    """How many times as fast as plain decoding answers are, with n-grams, or a draft model where a step costs."""
    found = []
    for seed in SEEDS:
        chances = [right] * tokens
        drafters = {"chances": chances, "behind": 40} if costs.step else {"chances": (), "quoted": chances}
        plain, drafted = (Simulation(costs, seed=seed, **drafters) for _ in range(2))
        found.append(plain.run(FixedLength(0)) / drafted.run(adaptive(drafted, most=16, known=known)))
    return found


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("drafter", ["n-grams", "model"])
@pytest.mark.parametrize("right", [0.01, 0.2, 0.35, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("name", MACHINES)
def test_no_text_is_slower_than_plain_decoding(name: str, right: float, drafter: str, known: bool):
    costs = MACHINES[name]
    if drafter == "model":
        costs = replace(costs, step=0.2 * costs.passes[1], reading=0.02 * costs.passes[1])
    for tokens in (128, 256):
        found = gains(costs, right, tokens, known)
        assert geometric_mean(found) >= (0.98 if known else 0.975)  # a pass is measured once for each machine
        assert min(found) >= 0.95


@pytest.mark.parametrize("name", MACHINES)
def test_good_guesses_pay_all_the_same(name: str):
    assert geometric_mean(gains(MACHINES[name], 0.9, 256, known=True)) > 1.15


def test_where_reading_again_is_dear_less_is_drafted():
    drafted = []
    for saving in (0.0, 5.0, 40.0):
        simulation = Simulation(replace(LARGE_STATE, saving=saving), (), quoted=[0.7] * 400)
        simulation.run(adaptive(simulation, most=16))
        drafted.append(mean(length > 0 for length in simulation.lengths))
    assert all(more > less for more, less in pairwise(drafted))
