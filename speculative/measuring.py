"""Measuring what the passes of a model cost, before anything is known about it."""

from collections.abc import Sequence
from time import perf_counter

from .costs import CostCurve
from .model import LanguageModel

TARGET_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17)
DRAFT_LENGTHS = (1, 2, 64)


def measure_costs(model: LanguageModel, lengths: Sequence[int], token: int, rows: int) -> CostCurve:
    """Time one pass of each length from an empty cache, after one to wake the machine up.

    `token` is any token; at most `rows` rows of logits are asked for, as the loop will ask. The cache is left empty.
    """
    curve = CostCurve()
    for length in (1, *lengths):
        model.rollback(0)
        started = perf_counter()
        model.decode([token] * length, min(length, rows))
        curve.measured[length] = perf_counter() - started
    model.rollback(0)
    return curve
