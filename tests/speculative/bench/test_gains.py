"""Gains that are kept between runs."""

import json
from dataclasses import replace

import pytest

from specchat.speculative.bench.gains import Gain, KnownGains, measured_gain
from specchat.speculative.bench.report import report
from specchat.speculative.cache import Cache

from .making import CODE, PROSE, pairing

GAIN = Gain(1.5, (1.2, 1.8), ("code", "prose"))


@pytest.fixture
def files(tmp_path):
    target, draft = tmp_path / "target", tmp_path / "draft"
    target.write_text("target")
    draft.write_text("draft")
    return target, draft


@pytest.fixture
def gains(tmp_path):
    return KnownGains(Cache(tmp_path / "cache"))


def test_the_latest_gain_of_a_pair_is_known(files, gains):
    gains.keep(*files, replace(GAIN, speedup=1.3))
    gains.keep(*files, GAIN)
    assert KnownGains(gains.cache).of(*files) == GAIN


def test_n_grams_have_a_gain_of_their_own(files, gains):
    gains.keep(files[0], "ngram", GAIN)
    assert gains.of(files[0], "ngram") == GAIN
    assert gains.of(*files) is None


@pytest.mark.parametrize("which", [0, 1])
def test_a_file_that_changed_or_has_gone_has_no_gain(files, gains, which):
    gains.keep(*files, GAIN)
    files[which].write_text("another")
    assert gains.of(*files) is None
    files[which].unlink()
    assert gains.of(*files) is None
    gains.keep(*files, GAIN)


@pytest.mark.parametrize(("speedup", "pays"), [(1.049, False), (1.05, True)])
def test_a_gain_has_to_be_worth_the_draft(speedup, pays):
    assert Gain(speedup, (0.5, 2.0), ()).pays == pays


DAMAGE = [
    {"speedup": "fast"},
    {"interval": [float("nan"), 1.5]},
    {"interval": [1.5]},
    {"interval": 1.5},
    {"kinds": "code"},
    {"kinds": [1]},
    {"interval": [1.5, 1e9]},
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_gain_is_as_good_as_none(files, gains, tmp_path, damage):
    gains.keep(*files, GAIN)
    [file] = (tmp_path / "cache").iterdir()
    content = json.loads(file.read_text())
    content["value"] |= damage
    file.write_text(json.dumps(content))
    assert gains.of(*files) is None


def test_a_gain_is_that_of_the_variant_over_all_kinds():
    speedups = {"adaptive": 1.5, "ngram": 1.2}
    pairs = [pairing(speedups[name], case, name) for case in 3 * (PROSE, CODE) for name in speedups]
    found = measured_gain(report(pairs, None, "time", 1.0), "adaptive")
    assert (round(found.speedup, 6), found.kinds) == (1.5, ("code", "prose"))
    low, high = found.interval
    assert low <= found.speedup <= high


def test_a_few_pairs_are_a_gain_without_an_interval_and_fewer_are_none():
    pairs = 2 * [pairing(1.5, case) for case in (PROSE, CODE)]
    found = measured_gain(report(pairs, None, "time", 1.0), "adaptive")
    assert (found.interval, found.refuted) == (None, False)
    assert measured_gain(report(pairs[:3], None, "time", 1.0), "adaptive") is None
    assert measured_gain(report(pairs, None, "time", 1.0), "ngram") is None


def test_a_gain_without_an_interval_is_no_reason_against_anything(files, gains):
    unsure = replace(GAIN, speedup=0.7, interval=None)
    assert not unsure.refuted
    assert not unsure.beaten_by(GAIN)
    assert not GAIN.beaten_by(replace(unsure, speedup=9.0))
    gains.keep(*files, unsure)
    assert gains.of(*files) == unsure
    gains.keep(*files, GAIN)
    gains.keep(*files, unsure)
    assert gains.of(*files) == GAIN
