import math
import random

import pytest
from scipy.stats import binom

from specchat.speculative.bench.ratios import Estimate, Interval, geometric_mean, median_estimate


@pytest.mark.parametrize(("count", "rank"), [(6, 1), (8, 1), (9, 2), (10, 2), (20, 6), (50, 18), (100, 40)])
def test_the_interval_of_a_median_has_the_ranks_of_the_tables(count, rank):
    values = list(range(1, count + 1))
    random.Random(0).shuffle(values)
    assert median_estimate(values) == Estimate((count + 1) / 2, Interval(rank, count + 1 - rank), count)


@pytest.mark.parametrize("count", [6, 7, 13, 40, 1500])
def test_the_interval_of_a_median_keeps_95_percent_and_no_narrower_one_does(count):
    rank = round(median_estimate(range(1, count + 1)).interval.low)
    assert 1 - 2 * binom.cdf(rank - 1, count, 0.5) >= 0.95
    assert 1 - 2 * binom.cdf(rank, count, 0.5) < 0.95


@pytest.mark.parametrize("count", range(1, 6))
def test_fewer_than_six_values_have_no_interval(count):
    assert median_estimate([1.0] * count) == Estimate(1.0, None, count)


def test_one_wild_value_moves_a_median_little():
    assert median_estimate([1.5, 1.52, 1.51, 9.0, 1.49]).value == 1.51


def test_narrow_is_relative_to_the_value():
    assert Estimate(2.0, Interval(1.97, 2.03), 9).narrow(0.015)
    assert not Estimate(1.0, Interval(0.97, 1.03), 9).narrow(0.015)
    assert not Estimate(1.0, None, 3).narrow(0.015)


def test_a_geometric_mean_is_one_of_medians():
    estimate = geometric_mean([[2.0], [0.5, 0.5, 8.0]])
    assert (estimate.value, estimate.count) == (pytest.approx(1.0), 4)


def test_a_geometric_mean_of_single_values_has_no_interval():
    assert geometric_mean([[1.5], [1.2], [1.1], [1.9]]).interval is None
    assert geometric_mean([[1.5, 1.6], [1.2, 1.1], [1.1], [1.9]]).interval is None


def test_the_same_values_have_the_same_interval():
    groups = [[1.5, 1.6], [1.2, 1.1], [1.1, 1.15], [1.9, 2.0]]
    assert geometric_mean(groups) == geometric_mean(groups)


def test_differences_between_groups_do_not_widen_the_interval():
    interval = geometric_mean([[1.0] * 5, [3.0] * 5]).interval
    assert interval.low == pytest.approx(interval.high) == pytest.approx(math.sqrt(3))


@pytest.mark.parametrize(("groups", "size"), [(4, 2), (4, 3), (1, 4)])
def test_the_interval_of_a_geometric_mean_covers_the_truth(groups, size):
    chance = random.Random(1)
    intervals = [
        geometric_mean([[math.exp(chance.gauss(0, 0.05)) for _ in range(size)] for _ in range(groups)]).interval
        for _ in range(60)
    ]
    assert sum(interval.low <= 1 <= interval.high for interval in intervals) >= 53
