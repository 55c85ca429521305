import pytest

from specchat.speculative.bench.ratios import Interval
from specchat.speculative.bench.report import Costs, costs_of, drafting, report
from specchat.speculative.costs import CostCurve

from .making import PROSE, answer, pairing


def test_a_row_is_a_variant_on_a_kind():
    found = report([pairing(2.0), pairing(1.5, PROSE), pairing(3.0), pairing(1.0, variant="plain")], None, "time", 9.0)
    assert [(row.variant, row.kind, row.speedup.value) for row in found.rows] == [
        ("adaptive", "code", 2.5),
        ("adaptive", "prose", 1.5),
    ]
    row = found.rows[0]
    assert (row.tokens, row.first_token, row.parted) == (11, 1.0, 0)
    assert (row.plain_per_second, row.acceptance) == (pytest.approx(10 / 11), pytest.approx(2 / 3))
    assert found.summary("adaptive").speedup.value == pytest.approx((2.5 * 1.5) ** 0.5)
    assert found.calibration.value == 1.0
    assert found.summary("plain") is None


def test_rows_have_intervals_from_six_pairs_on():
    found = report([pairing(1 + place / 10) for place in range(1, 7)], None, "time", 9.0)
    assert found.rows[0].speedup.interval == Interval(pytest.approx(1.1), pytest.approx(1.6))


def test_loops_are_told_apart_and_counted_nowhere():
    found = report([pairing(5.0, looping=True), pairing(5.0, looping=True), pairing(1.5, PROSE)], None, "time", 9.0)
    assert found.looping == (("adaptive", "code", 0.8),)
    assert [row.kind for row in found.rows] == ["prose"]
    assert found.summary("adaptive").speedup.value == 1.5
    assert len(found.pairings) == 3


def test_what_was_drafted_is_told_by_length_and_by_position():
    found = drafting([answer(1.0, drafted=(0, 3, 3), accepted=(0, 1, 3)), answer(1.0, drafted=(1,), accepted=(0,))])
    assert found.lengths == (1, 1, 0, 2)
    assert found.tested == (3, 2, 1)
    assert found.accepted == (2, 1, 1)
    assert found.acceptance == pytest.approx(4 / 6)


def test_positions_that_were_hardly_tested_have_no_share():
    often = [answer(1.0, drafted=(1,), accepted=(1,))] * 9
    assert drafting([*often, answer(1.0, drafted=(2,), accepted=(0,))]).by_position == (0.9,)
    assert drafting(often).by_position == ()


def test_nothing_drafted_is_no_acceptance():
    assert drafting([answer(1.0, drafted=(0, 0), accepted=(0, 0))]).acceptance is None


def test_costs_are_those_of_passes_over_drafts():
    target = CostCurve({1: 0.1, 3: 0.2})
    assert costs_of(target, CostCurve({1: 0.02, 2: 0.03}), 2) == Costs(pytest.approx((0.1, 0.15, 0.2)), 0.02)
    assert costs_of(target, None, 1) == Costs(pytest.approx((0.1, 0.15)), 0.0)
    assert costs_of(None, None, 1) is None


def test_a_report_of_nothing_is_a_report():
    found = report([], None, "stopped", 0.0)
    assert (found.rows, found.summaries, found.calibration) == ((), (), None)
