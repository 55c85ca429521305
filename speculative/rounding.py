"""How far the logits of passes over several tokens lie from those of shorter passes, on the same text.

A pass over several tokens may use other kernels than a pass over one, and round differently.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from .model import LanguageModel, advance, read_ahead
from .sampling import Logits

REFERENCES = (1, 2)
"""Pass lengths that others are compared with: where only the pass over one token stands apart, two can stand for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounding:
    """What passes of several lengths did after the same `context` tokens.

    `differences[reference][length]` is the largest difference between two logits of the same token and place, over the
    vocabulary and the text; 0 is agreement to the last bit. `seconds` are those of the fastest pass of each length.
    """

    context: int
    differences: Mapping[int, Mapping[int, float]]
    seconds: Mapping[int, float]

    def worst(self, longest: int) -> float:
        """The largest difference between passes over one token and those over up to `longest`."""
        return max((gap for length, gap in self.differences[1].items() if length <= longest), default=0.0)


def measure_rounding(
    model: LanguageModel, prompt: Sequence[int], text: Sequence[int], lengths: Sequence[int], piece: int
) -> Rounding:
    """Read `text` after `prompt` in passes of each length, and compare. The prompt is read in pieces, and only once.

    Compared are as many tokens as the longest length; `text` holds twice as many, so that whole passes cover them. The
    cache must fit both. Raises `Cancelled` or `DecodeError`.
    """
    read_prompt(model, prompt, piece)
    seconds: dict[int, float] = {}
    count = max(lengths)
    references = {length: rows_by(model, prompt, text, count, length, seconds) for length in REFERENCES}
    differences: dict[int, dict[int, float]] = {length: {} for length in REFERENCES}
    for length in sorted({*REFERENCES, *lengths}):
        rows = rows_by(model, prompt, text, count, length, seconds)
        for reference, expected in references.items():
            if length > reference:
                differences[reference][length] = difference(expected, rows)
    return Rounding(context=len(prompt), differences=differences, seconds=seconds)


def worst_of(roundings: Sequence[Rounding]) -> Rounding:
    """The largest differences and the shortest times of measurements after the same context, at least one."""
    first = roundings[0]
    return Rounding(
        context=first.context,
        differences={
            reference: {length: max(each.differences[reference][length] for each in roundings) for length in gaps}
            for reference, gaps in first.differences.items()
        },
        seconds={length: min(each.seconds[length] for each in roundings) for length in first.seconds},
    )


def read_prompt(model: LanguageModel, prompt: Sequence[int], piece: int) -> Logits:
    """Read a prompt as a session reads it, from an empty cache; returns a copy of the logits after it."""
    for _ in read_ahead(model, prompt, 0, piece):
        pass
    [row] = advance(model, prompt, 1)
    return np.array(row)


def rows_by(
    model: LanguageModel,
    prompt: Sequence[int],
    text: Sequence[int],
    count: int,
    length: int,
    seconds: dict[int, float] | None = None,
    window: int | None = None,
) -> list[Logits]:
    """Copies of the logits after the first `count` tokens of `text`, read by `length` a pass after the cached `prompt`.

    Only of the last `window` of them, if given. The passes are whole, so `text` goes on as far as they cover. The
    seconds of the fastest pass are put into `seconds`.
    """
    if model.rollback(len(prompt)) < len(prompt):
        advance(model, prompt, 1)
    kept: deque[Logits] = deque(maxlen=window)
    for begin in range(0, count, length):
        started = perf_counter()
        rows = model.decode(text[begin : begin + length], length)
        if seconds is not None:
            seconds[length] = min(perf_counter() - started, seconds.get(length, float("inf")))
        kept.extend(row.copy() for row in rows[: count - begin])
    return list(kept)


def difference(left: Sequence[Logits], right: Sequence[Logits]) -> float:
    """The largest difference between two logits of the same row; infinite where one is not a number."""
    gap = max((float(np.abs(a - b).max()) for a, b in zip(left, right, strict=True)), default=0.0)
    return float("inf") if math.isnan(gap) else gap
