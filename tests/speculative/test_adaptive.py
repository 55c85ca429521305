"""Adaptive lengths on simulated machines and texts; the figures of real ones are measured by `specchat bench`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from statistics import geometric_mean, mean

import pytest

from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.calibration import Calibration
from specchat.speculative.costs import CostCurve
from specchat.speculative.draft_length import DraftLength, FixedLength
from specchat.speculative.drafting import FORM, MODEL, NGRAM, Draft, Guess, Offer
from specchat.speculative.rounds import Round
from specchat.speculative.verification import Verdict

from .simulation import FLAT, FREE, STEEP, STEPPED, TILED, Machine, Simulation

MACHINES = {"stepped": STEPPED, "steep": STEEP, "tiled": TILED, "flat": FLAT, "free": FREE}
FORGETFUL = {"forgetful flat": replace(FLAT, setback=25.0), "forgetful stepped": replace(STEPPED, setback=100.0)}
"""Recurrent targets: wrong guesses cost as much again as a pass, or more."""
FREE_BUT_FORGETFUL = {"forgetful free": replace(FLAT, step=0, reading=0, setback=25.0)}
EVERY_MACHINE = {**MACHINES, **FORGETFUL, **FREE_BUT_FORGETFUL}
CODE, PROSE, STORY = [0.96] * 160, [0.64] * 160, [0.55] * 160
SWITCHING = ([0.6] * 60 + [0.96] * 80) * 2
TEXTS = {"code": CODE, "json": [0.91] * 160, "middling": [0.78] * 160, "prose": PROSE, "story": STORY}
SEEDS = range(4)


def adaptive(simulation: Simulation, most: int = 12, known: bool = True) -> AdaptiveLength:
    """Draft lengths for a simulation; unless the costs are `known`, they have to be learned by the way."""
    machine = simulation.machine
    reading = {1: machine.step, 2: 2 * machine.step, 64: machine.step + 63 * machine.reading}
    return AdaptiveLength(
        CostCurve(dict(machine.passes) if known else {}),
        sources(
            (FORM, NGRAM, MODEL),
            CostCurve(reading if known else {}),
            share=0.7 * machine.step / machine.passes[1],
            clock=lambda: simulation.now,
        ),
        most,
        setback=1.0 if machine.setback or machine.forgets else 0.0,
    )


def simulation_of(machine: Machine, chances: list[float], seed: int) -> Simulation:
    """A model guesses, or where guesses are free, n-grams do."""
    if machine.step:
        return Simulation(machine, chances, seed=seed, behind=40)
    return Simulation(machine, (), quoted=chances, seed=seed)


def seconds(machine: Machine, chances: list[float], seed: int, fixed: int | None = None, known: bool = True) -> float:
    simulation = simulation_of(machine, chances, seed)
    length: DraftLength = adaptive(simulation, known=known) if fixed is None else FixedLength(fixed)
    return simulation.run(length)


def speedup(machine: Machine, chances: list[float], fixed: int | None = None, known: bool = True) -> float:
    """Over plain decoding, as the geometric mean of a few texts."""
    return geometric_mean(
        seconds(machine, chances, seed, fixed=0) / seconds(machine, chances, seed, fixed, known) for seed in SEEDS
    )


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("text", [*TEXTS, "switching"])
@pytest.mark.parametrize("machine", EVERY_MACHINE)
def test_it_is_never_slower_than_plain_decoding(machine: str, text: str, known: bool):
    chances = {**TEXTS, "switching": SWITCHING}[text]
    assert speedup(EVERY_MACHINE[machine], chances, known=known) >= (0.98 if known else 0.93)
    for seed in SEEDS:
        plain = seconds(EVERY_MACHINE[machine], chances, seed, fixed=0)
        assert plain / seconds(EVERY_MACHINE[machine], chances, seed, known=known) >= (0.95 if known else 0.9)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("machine", [*MACHINES, *FORGETFUL])
def test_its_regret_against_the_best_fixed_length_is_bounded(machine: str, text: str):
    best = max(speedup(EVERY_MACHINE[machine], TEXTS[text], fixed) for fixed in range(13))
    assert speedup(EVERY_MACHINE[machine], TEXTS[text]) >= 0.9 * best


@pytest.mark.parametrize(("machine", "share"), [("stepped", 1.0), ("flat", 1.0), ("free", 0.97)])
def test_no_fixed_length_is_better_on_a_text_that_switches(machine: str, share: float):
    """Where guesses are free, their leads say so little here that a share of it is all that can be had."""
    best = max(speedup(MACHINES[machine], SWITCHING, fixed) for fixed in range(13))
    assert speedup(MACHINES[machine], SWITCHING) > share * best


def test_it_does_not_probe_where_even_perfect_drafts_could_not_pay():
    simulation = Simulation(STEEP, [0.99] * 500, behind=40)
    simulation.run(adaptive(simulation))
    assert set(simulation.lengths) == {0}


def test_it_follows_a_text_that_turns_within_a_few_tokens():
    turn = 120
    for seed in SEEDS:
        simulation = Simulation(STEPPED, [0.5] * turn + [0.97] * turn + [0.5] * turn, seed=seed)
        simulation.run(adaptive(simulation))
        lengths = simulation.lengths
        assert mean(lengths[turn + 15 : 2 * turn]) > 3
        assert mean(lengths[2 * turn + 15 :]) < 1


def test_a_short_answer_to_a_long_prompt_is_not_worth_the_drafts_reading():
    simulation = Simulation(STEPPED, [0.96] * 20, behind=2000)
    simulation.run(adaptive(simulation))
    assert set(simulation.lengths) == {0}


def test_a_long_answer_earns_the_reading_back_and_loses_little_before_it_does():
    plain, drafted = (seconds(STEPPED, [0.96] * 600, 0, fixed) for fixed in (0, None))
    assert drafted < plain


def test_ngrams_that_were_wrong_for_long_are_tried_again():
    """Their leads take few values, so a few wrong guesses say something about all of them."""
    simulation = Simulation(FREE, (), quoted=[0.2] * 200 + [0.97] * 400)
    simulation.run(adaptive(simulation))
    assert mean(simulation.lengths[100:200]) < 0.5
    assert mean(simulation.lengths[400:]) > 1


def test_it_never_drafts_more_than_it_may():
    simulation = Simulation(FLAT, [0.99] * 200)
    simulation.run(adaptive(simulation, most=3))
    assert max(simulation.lengths) == 3


def test_the_better_source_is_taken():
    """Code that is quoted and guessed by a model; n-grams are free, so they are taken where they are as good."""
    quoted = [0.97] * 150 + [0.0] * 150
    simulation = Simulation(STEPPED, [0.9] * 300, quoted=quoted, behind=40)
    simulation.run(adaptive(simulation))
    assert simulation.taken[-9:] == [MODEL] * 9
    assert simulation.taken[:20].count(NGRAM) >= 15


@pytest.mark.parametrize("machine", ["stepped", "flat"])
@pytest.mark.parametrize("quoted", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("text", TEXTS)
def test_both_sources_are_hardly_worse_than_the_better_one(machine: str, quoted: float, text: str):
    ratios = []
    for seed in SEEDS:
        chances, quotes = TEXTS[text], ([quoted] * 40 + [0.0] * 40) * 2
        alternatives = []
        for mine, theirs in ((chances, ()), ((), quotes), (chances, quotes)):
            simulation = Simulation(MACHINES[machine], mine, quoted=theirs, seed=seed, behind=40 if mine else 0)
            alternatives.append(simulation.run(adaptive(simulation)))
        *alone, both = alternatives
        ratios.append(min(alone) / both)
    assert geometric_mean(ratios) >= 0.88


@pytest.mark.parametrize("loading", [1.0, 300.0])
def test_a_draft_is_loaded_only_by_an_answer_that_is_long(loading: float):
    for tokens, loaded in ((20, False), (400, True)):
        simulation = Simulation(STEPPED, [0.95] * tokens, behind=4, loading=loading)
        simulation.run(adaptive(simulation))
        assert (MODEL in simulation.taken) == loaded


def test_nothing_is_read_where_too_little_is_left_to_earn_it_back():
    simulation = Simulation(STEPPED, [0.95] * 60, behind=1000)
    simulation.run(adaptive(simulation))
    assert simulation.taken == []


def test_what_plain_decoding_costs_is_known_after_a_few_plain_passes():
    simulation = Simulation(STEPPED, [0.5] * 2, behind=40)
    length = adaptive(simulation)
    simulation.run(length)
    assert length.plain_seconds() is None
    simulation = Simulation(STEPPED, [0.2] * 60, behind=40)
    length = adaptive(simulation)
    simulation.run(length)
    assert length.plain_seconds() == pytest.approx(71, rel=0.03)


def test_what_a_longer_pass_costs_is_measured_before_a_model_reads():
    simulation = Simulation(STEEP, [0.99] * 60, behind=40)
    simulation.run(adaptive(simulation, known=False))
    assert set(simulation.lengths) == {0, 7}
    assert set(simulation.taken) == {""}


def test_a_draft_is_padded_to_a_pass_that_is_cheaper():
    """Kernels like whole tiles: of passes over 2 to 8 tokens, here those over 8 are the cheapest."""
    simulation = Simulation(TILED, [0.97] * 300, behind=40)
    simulation.run(adaptive(simulation, most=16))
    drafted = [length for length in simulation.lengths if length]
    assert mean(length in (7, 11, 15, 16) for length in drafted) > 0.9  # 16 is as many as are allowed
    quote = Offer(NGRAM, iter([Guess.certain(1, 9.0)] * 4))
    length = adaptive(simulation)
    right = Draft((Guess.certain(1, 9.0),) * 8, NGRAM)
    length.sources[NGRAM].observe(right, Verdict((1,) * 9, 8, 8), mood=1.0, gain=4.0)
    draft = length.take(lambda: [quote], 100)
    assert (draft.guessed, len(draft)) == (4, 7)


def test_the_measure_of_all_gains_is_taken_again_however_well_drafting_goes():
    simulation = Simulation(FLAT, [0.99] * 2000, behind=40)
    length = adaptive(simulation)
    rounds: list[str] = []

    class Watched:
        take = staticmethod(length.take)

        def observe(self, step: Round) -> None:
            rounds.append("drafted" if step.draft else "plain")
            length.observe(step)

    simulation.run(Watched())
    runs = [len(list(run)) for kind, run in groupby(rounds[20:]) if kind == "drafted"]
    assert len(runs) > 3
    assert max(runs) == 24


@pytest.mark.parametrize("machine", ["stepped", "flat"])
def test_what_plain_decoding_takes_is_known_after_few_rounds_however_well_drafting_goes(machine: str):
    simulation = Simulation(MACHINES[machine], [0.97] * 250)
    length = adaptive(simulation)
    simulation.run(length)
    assert len(simulation.taken) < 50
    assert length.plain_seconds() == pytest.approx(MACHINES[machine].passes[1], rel=0.1)


def forced(count: int) -> list[Guess]:
    return [Guess(1, None, 1.0, is_forced=True)] * count


def form_offer(guesses: Sequence[Guess]) -> list[Offer]:
    return [Offer(FORM, iter(guesses))]


def test_what_is_forced_is_free_and_no_step_of_the_draft():
    simulation = Simulation(FLAT, [0.99] * 9)
    length = adaptive(simulation)
    costs = length.sources[MODEL].costs = CostCurve()
    simulation.now = 0.0

    def guesses() -> Iterator[Guess]:
        yield from forced(2)
        simulation.now += 3 * FLAT.step
        yield Guess.certain(1, 9.0)
        yield from forced(3)
        simulation.now += 4 * FLAT.step
        yield Guess.certain(1, -9.0)

    draft = length.take(lambda: [Offer(MODEL, guesses(), forced=2)], 100)
    assert [guess.is_forced for guess in draft.guesses] == [True, True, False, True, True, True]
    assert costs.measured == pytest.approx({3: 3 * FLAT.step, 4: 4 * FLAT.step})


def test_what_is_forced_is_taken_where_the_models_guesses_would_not_pay():
    simulation = Simulation(TILED, [0.5])
    for many, source in ((1, ""), (7, FORM)):
        offers = [Offer(FORM, iter(forced(many))), Offer(MODEL, iter(()), behind=4000)]
        draft = adaptive(simulation).take(partial(list, offers), 100)
        assert (draft.source, draft.guessed) == (source, many if source else 0)


def test_a_guess_that_is_forced_is_no_probe():
    """The chance of it is known, and where one was right the next need not pay."""
    length = adaptive(Simulation(TILED, [0.5]))
    for guesses, probes in ((forced(1), 0), ([Guess.certain(1, -9.0)], 1)):
        source = length.sources[FORM]
        source.observe(Draft(tuple(guesses), FORM), Verdict((1, 1), 1, 1), mood=1.0, gain=1.0)
        assert length.take(partial(form_offer, guesses), 100).guessed == probes


def test_what_forms_say_is_learned_apart_from_what_a_model_says():
    source = adaptive(Simulation(STEPPED, [0.5])).sources[MODEL]
    before = source.by_lead.chance(1.0), source.by_mood.chance(1.0)
    for _ in range(20):
        source.observe(Draft(tuple(forced(1)), MODEL), Verdict((2,), 0, 1), mood=1.0, gain=0.0)
    assert (source.by_lead.chance(1.0), source.by_mood.chance(1.0)) == before
    assert source.by_form.chance(1.0) < 0.4


def test_without_any_offer_it_says_that_there_is_nothing_to_guess():
    length = adaptive(Simulation(STEPPED, [0.5]))
    assert length.take(list, 5) == Draft(pause="nothing to guess")


def test_a_calibration_learns_how_likely_a_lead_is_right():
    calibration = Calibration(offset=0.0, slope=1.0)
    for _ in range(300):
        calibration.observe(0.5, right=False)
        calibration.observe(4.0, right=True)
    assert calibration.chance(0.5) < 0.2
    assert calibration.chance(4.0) > 0.9


def test_a_calibration_is_optimistic_only_where_it_knows_little():
    calibration = Calibration(offset=0.0, slope=1.0, forgetting=0.001)
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
    curve = CostCurve({1: 10.0, 2: 20.0, 6: 22.0})
    for _ in range(100):
        curve.observe(1, 15.0)
        curve.observe(6, 33.0)
    assert curve.at(2) == pytest.approx(30, rel=0.1)


def test_what_slows_passes_over_one_token_says_little_of_passes_over_several():
    """Memory that others use, and kernels that compute: only the former wait for it."""
    curve = CostCurve({1: 10.0, 6: 22.0})
    for _ in range(100):
        curve.observe(1, 15.0)
    assert curve.at(1) == pytest.approx(15, rel=0.05)
    assert 22 < curve.at(6) < 26


def test_machines_that_were_busy_are_tried_again_when_they_are_not():
    """Twice as slow, which is learned of all lengths, and then only plain passes tell that it is over."""
    simulation = Simulation(STEPPED, [0.95] * 200, behind=40)
    length = adaptive(simulation)
    for tokens, seconds in STEPPED.passes.items():
        for _ in range(20):
            length.target_costs.observe(tokens, 2 * seconds)
    simulation.run(length)
    assert mean(simulation.lengths[100:]) > 3


def test_a_change_of_speed_counts_once_for_a_length_that_is_seldom_used():
    """Half as fast from now on: what other passes have told of that is not added to what a rare one tells itself."""
    curve = CostCurve({1: 10.0, 6: 22.0})
    for _ in range(5):
        curve.observe(1, 20.0)
    for _ in range(60):
        curve.observe(6, 44.0)
    assert curve.at(1) == pytest.approx(20, rel=0.15)
    assert curve.at(6) == pytest.approx(44, rel=0.1)


def test_a_draft_of_which_only_a_long_reading_is_known_is_not_taken_for_slow():
    simulation = Simulation(STEPPED, [0.95] * 200, behind=300)
    length = adaptive(simulation)
    source = length.sources[MODEL]
    source.costs = CostCurve({320: 970.0})
    simulation.run(length)
    assert simulation.taken.count(MODEL) > 5


def test_a_calibration_survives_a_lead_beyond_all_bounds():
    calibration = Calibration(offset=0.0, slope=1.0)
    for lead in (1e12, -1e12, 1e300):
        calibration.observe(lead, right=True)
        assert 0 < calibration.chance(lead, optimism=1.0) < 1


def test_a_pass_costs_no_more_than_a_longer_one():
    assert CostCurve({1: 10.0, 2: 300.0, 3: 24.0}).at(2) == 24
