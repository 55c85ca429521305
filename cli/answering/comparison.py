"""The same answer plain and drafted: what it took, and whether it is the same."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from specchat.speculative.events import GenerationFinished
from specchat.speculative.explain import Parting

_FASTER = 1.05
_PLEASE = "This looks like a bug: please report it."


@dataclass(frozen=True, slots=True)
class Comparison:
    """Plain and drafted answers, one of each a repetition and all from empty caches; neither is empty."""

    plain: Sequence[GenerationFinished]
    drafted: Sequence[GenerationFinished]

    @property
    def different(self) -> GenerationFinished | None:
        """The first answer with other tokens than the first plain one has, or another text."""
        first = self.plain[0]
        others = (*self.drafted, *self.plain)
        return next((each for each in others if (each.tokens, each.text) != (first.tokens, first.text)), None)

    @property
    def speedup(self) -> float:
        """How many times as fast the drafted answer is, for as many tokens as the shorter one has.

        Neighbours are compared: machines have moods.
        """
        return median(_ratio(slow, fast) for slow, fast in zip(self.plain, self.drafted, strict=True))

    def times(self) -> Iterator[str]:
        """What the answers took, each a row or a sentence."""
        for name, runs in (("plain", self.plain), ("drafted", self.drafted)):
            seconds, stats = median(_seconds(each, each.stats.completion_tokens) for each in runs), runs[0].stats
            yield f"{name:<8} {seconds:5.2f} s for {stats.completion_tokens} tokens in {stats.rounds} passes"
        if not any(each.stats.drafted for each in self.drafted):
            yield "Nothing was drafted, so a difference between the times is noise."
        elif self.speedup < _FASTER:
            yield "Drafting was not faster this time."
        elif len(self.plain) == 1:
            yield f"Drafting was about {self.speedup:.1f} times as fast."
        else:
            yield f"Drafting was {self.speedup:.2f} times as fast, by the median of {len(self.plain)} repetitions."


def texts(comparison: Comparison, parting: Parting | None, piece: Callable[[int], bytes], exact: bool) -> Iterator[str]:
    """Whether the texts are the same and, where they part, why; `piece` gives the bytes of a token."""
    other, plain = comparison.different, comparison.plain[0].tokens
    if other is None:
        yield "It is the same text, byte for byte."
    elif parting is None:
        yield f"The texts are not the same: one goes on where the other ends. {_PLEASE}"
    else:
        said = b"".join(map(piece, plain[: parting.place])).decode(errors="replace")
        left, right = (_shown(piece(tokens[parting.place])) for tokens in (plain, other.tokens))
        yield (
            f"The texts part at token {parting.place + 1}, after {len(said):,} characters: plain goes on with {left}, "
            f"drafted with {right}."
        )
        yield _why(parting, exact)


def content(comparison: Comparison, parting: Parting | None) -> dict[str, Any]:
    """The same for JSON, without the answers."""
    return {
        "speedup": round(comparison.speedup, 4),
        "same_text": comparison.different is None,
        "parting": parting
        and {
            "place": parting.place,
            "distance": parting.distance if math.isfinite(parting.distance) else None,
            "rounding": parting.rounding,
            "near_tie": parting.is_near_tie,
        },
    }


def _shown(piece: bytes) -> str:
    """A token in quotation marks, which lines are not to be broken within."""
    return repr(piece.decode(errors="replace")).replace(" ", "\xa0")


def _why(parting: Parting, exact: bool) -> str:
    moved = f"passes of different lengths move them by up to {parting.rounding:.2g} there"
    if not parting.is_near_tie:
        return f"No near tie: swapping the two takes {parting.distance:.2g} on each logit, but {moved}. {_PLEASE}"
    swapped = f"A near tie: moving each logit by {parting.distance:.2g} swaps the two, and {moved}."
    if exact:
        return f"{swapped} The settings that --exact found are not exact here. {_PLEASE}"
    return f"{swapped} --exact looks for settings under which they do not."


def _ratio(slow: GenerationFinished, fast: GenerationFinished) -> float:
    count = min(slow.stats.completion_tokens, fast.stats.completion_tokens)
    return _seconds(slow, count) / _seconds(fast, count)


def _seconds(answer: GenerationFinished, count: int) -> float:
    """From the prompt to the `count`-th token, had all but the first taken the same time."""
    stats = answer.stats
    return stats.prompt_seconds + stats.predicted_seconds * (count - 1) / max(1, stats.completion_tokens - 1)
