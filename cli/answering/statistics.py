"""The statistics line."""

from typing import TYPE_CHECKING

from specchat.speculative.drafting import FORM, MODEL, NGRAM, Pause
from specchat.speculative.events import FinishReason, GenerationFinished
from specchat.speculative.stats import GenerationStats

from ..display.quantities import counted

if TYPE_CHECKING:
    from specchat.speculative.llama.exactness import Exactness

_ENDS: dict[FinishReason, str] = {
    "length": "cut by -n",
    "stop_string": "ended by --stop",
    "cancelled": "stopped",
    "context_full": "context full",
    "error": "ended by an error",
}


_SHORT = 24
"""Tokens of an answer whose time is mostly chance."""
_SOURCES = {MODEL: "the draft", NGRAM: "n-grams", FORM: "the form"}
_PAUSES: dict[Pause, str] = {
    "nothing to guess": "nothing to guess",
    "would not pay": "guesses would not pay",
    "reading first would not pay": "reading the text with the draft would not pay",
    "loading first would not pay": "loading the draft would not pay",
}


def statistics(
    finished: GenerationFinished, n_ctx: int, thorough: bool = False, exactness: "Exactness | None" = None
) -> list[str]:
    """What is worth knowing about an answer, in pieces short enough for a narrow terminal.

    A `thorough` one tells how often drafting paused and why, and how exact the text is, if it is meant to be.
    """
    stats = finished.stats
    items = [f"{counted(stats.completion_tokens, 'token')} in {stats.predicted_seconds:.1f} s"]
    if stats.predicted_per_second is not None and stats.completion_tokens > 1:  # one token took no time after itself
        items.append(f"{stats.predicted_per_second:.1f} tokens/s")
    items += _drafting(stats)
    if thorough:
        items += [f"paused {_times(times)}: {_PAUSES[reason]}" for reason, times in stats.pauses.items()]
        if exactness is not None:
            items.append(_exactness(exactness, stats.prompt_tokens + stats.completion_tokens))
    items.append(f"first token after {stats.prompt_seconds:.2f} s")
    items.append(f"context {stats.prompt_tokens + stats.completion_tokens:,} of {n_ctx:,}")
    items.append(f"seed {finished.seed}")
    if finished.finish_reason in _ENDS:
        items.append(_ENDS[finished.finish_reason])
    return items


def _drafting(stats: GenerationStats) -> list[str]:
    if stats.acceptance_rate is None and stats.speedup is None:
        return []
    items = [_speedup(stats)]
    if stats.acceptance_rate is not None:
        by = " and ".join(_SOURCES.get(source, source) for source in sorted(stats.drafted_by))
        items.append(f"{stats.acceptance_rate:.0%} of {stats.tested} guesses by {by} accepted")
    return items


def _speedup(stats: GenerationStats) -> str:
    if stats.completion_tokens < _SHORT:
        return "too short to compare"
    if stats.speedup is None:
        return "too few plain passes to compare"
    return f"{stats.speedup:.2f} × as fast as plain"


def _exactness(exactness: "Exactness", context: int) -> str:
    """Whether drafting could have changed the text."""
    match exactness.bit_exact:
        case None:
            return "exact up to rounding, which specchat bench --verify measures"
        case False:
            return f"exact up to rounding (by {exactness.rounding:.2g})"
        case _ if context <= exactness.context:
            return "bit-exact (measured)"
        case _:
            return f"bit-exact as far as measured ({exactness.context:,} tokens of context)"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
