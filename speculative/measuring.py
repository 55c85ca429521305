"""Measuring what the passes of a model cost, before anything is known about it."""

from collections.abc import Callable, Sequence
from time import perf_counter

from .costs import CostCurve
from .model import LanguageModel

TARGET_LENGTHS = (1, 5, 2, 9, 3, 17, 6, 4, 7, 8, 13, 12, 16)
"""The most telling first, for models so slow that there is no time for all."""
DRAFT_LENGTHS = (1, 64, 2)
_SECONDS = 2.0
_LEAST = 2


def measure_costs(
    model: LanguageModel,
    lengths: Sequence[int],
    token: int,
    rows: int,
    clock: Callable[[], float] = perf_counter,
) -> CostCurve:
    """Time passes of each length from an empty cache, after one to wake the machine up.

    Goes on for two seconds, but to two lengths at least and twice through all at most; the shortest time counts, since
    other work only ever slows down. `token` is any token; at most `rows` rows of logits are asked for, as the loop will
    ask. The cache is left empty.
    """
    curve = CostCurve()
    _pass(model, [token], 1)
    begin = clock()
    for length in (*lengths, *lengths):
        if len(curve.measured) >= _LEAST and clock() - begin > _SECONDS:
            break
        started = clock()
        _pass(model, [token] * length, min(length, rows))
        curve.keep(length, clock() - started)
    model.rollback(0)
    return curve


def _pass(model: LanguageModel, tokens: Sequence[int], rows: int) -> None:
    model.rollback(0)
    model.decode(tokens, rows)
