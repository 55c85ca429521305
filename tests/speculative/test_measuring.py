import json
import math
from dataclasses import dataclass

import pytest

from specchat.speculative.cost_store import CostStore
from specchat.speculative.costs import CostCurve
from specchat.speculative.measuring import TARGET_LENGTHS, measure_costs
from specchat.speculative.model import Rows

from .fakes import FakeModel


@dataclass
class SlowModel(FakeModel):
    """Takes `seconds` for each token of a pass, on a clock that only it moves."""

    seconds: float = 0.01
    now: float = 0.0

    def decode(self, tokens: list[int], n_logits: int) -> Rows:
        self.now += self.seconds * len(tokens)
        return super().decode(tokens, n_logits)


def test_every_length_is_measured_and_the_cache_left_empty():
    model = SlowModel()
    curve = measure_costs(model, TARGET_LENGTHS, 0, 17, clock=lambda: model.now)
    assert set(curve.measured) == set(TARGET_LENGTHS)
    assert curve.at(6) == pytest.approx(0.06)
    assert model.cached == []


def test_a_slow_model_is_not_measured_for_long():
    model = SlowModel(seconds=1.0)
    curve = measure_costs(model, TARGET_LENGTHS, 0, 17, clock=lambda: model.now)
    assert set(curve.measured) == set(TARGET_LENGTHS[:2])
    assert model.now < 10


def test_costs_are_kept_between_runs(tmp_path):
    store = CostStore(tmp_path / "costs")
    assert store.load("a pair") is None
    store.save("a pair", CostCurve({1: 0.5, 2: 0.75}))
    loaded = store.load("a pair")
    assert loaded is not None
    assert loaded.measured == {1: 0.5, 2: 0.75}
    assert store.load("another pair") is None


def test_names_of_files_need_not_be_text(tmp_path):
    store = CostStore(tmp_path)
    store.save("bad\udcffname.gguf", CostCurve({1: 0.5, 2: 0.75}))
    loaded = store.load("bad\udcffname.gguf")
    assert loaded is not None
    assert loaded.measured == {1: 0.5, 2: 0.75}


def test_damaged_or_foreign_files_are_measured_again(tmp_path):
    store = CostStore(tmp_path)
    store.save("a pair", CostCurve({1: 0.5, 2: 0.75}))
    [file] = tmp_path.iterdir()
    whole = file.read_text()
    for damaged in ("", whole[:30], "[]", whole.replace("0.75", "-1"), whole.replace('"format": 1', '"format": 99')):
        file.write_text(damaged)
        assert store.load("a pair") is None


@pytest.mark.parametrize(
    "seconds",
    [
        {"1": 0.5, "2": cost}
        for cost in (1e308, 1e-320, 3601.0, 1e-7, 0.0, -0.5, math.inf, math.nan, True, None, "0.75", [0.75], 10**400)
    ]
    + [{"1": 0.5, length: 0.75} for length in ("0", "-1", "1.5", "two", "9" * 400, "9" * 5000)]
    + [{}, {"1": 0.5}, {str(length): 0.5 for length in range(1, 100_000)}],
    ids=lambda seconds: str(seconds)[:40],
)
def test_costs_that_no_pass_can_have_are_measured_again(tmp_path, seconds):
    store = CostStore(tmp_path)
    store.save("a pair", CostCurve({1: 0.5, 2: 0.75}))
    [file] = tmp_path.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), "seconds": seconds}))
    assert store.load("a pair") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    CostStore(tmp_path / "file").save("a pair", CostCurve({1: 0.5, 2: 0.75}))


def test_kept_costs_are_private_and_nothing_half_written_is_left(tmp_path):
    store = CostStore(tmp_path / "costs")
    store.save("a pair", CostCurve({1: 0.5, 2: 0.75}))
    [file] = (tmp_path / "costs").iterdir()
    assert file.stat().st_mode & 0o077 == 0
