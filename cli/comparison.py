"""The same answer plain and drafted: what it took, and whether it is the same."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from specchat.speculative.events import GenerationFinished
from specchat.speculative.explain import Parting

_FASTER = 1.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """Plain and drafted answers, one of each a repetition and all from empty caches; where the first of them part.

    `piece` gives the bytes of a token.
    """

    plain: Sequence[GenerationFinished]
    drafted: Sequence[GenerationFinished]
    parting: Parting | None
    piece: Callable[[int], bytes]

    @property
    def same(self) -> bool:
        """Whether all the texts are equal, byte for byte."""
        return len({each.text.encode() for each in (*self.plain, *self.drafted)}) == 1

    @property
    def speedup(self) -> float:
        """How many times as fast the drafted answer is. Neighbours are compared: machines have moods."""
        return median(
            _seconds(slow) / slow.stats.completion_tokens / (_seconds(fast) / fast.stats.completion_tokens)
            for slow, fast in zip(self.plain, self.drafted, strict=True)
        )

    def lines(self) -> Iterator[str]:
        """What there is to say, each a sentence or a row."""
        for name, runs in (("plain", self.plain), ("drafted", self.drafted)):
            seconds, stats = median(map(_seconds, runs)), runs[0].stats
            yield f"{name:<8} {seconds:5.2f} s for {stats.completion_tokens} tokens in {stats.rounds} passes"
        speed = f"{self.speedup:.2f} times as fast" if self.speedup >= _FASTER else "not faster this time"
        often = f", by the median of {len(self.plain)} repetitions" if len(self.plain) > 1 else ""
        yield f"Drafting was {speed}{often}."
        yield from self._texts()

    def content(self) -> dict[str, Any]:
        """The same for JSON, without the answers."""
        parting = self.parting and {**asdict(self.parting), "near_tie": self.parting.is_near_tie}
        return {"speedup": round(self.speedup, 4), "same_text": self.same, "parting": parting}

    def _texts(self) -> Iterator[str]:
        if self.same:
            yield "It is the same text, byte for byte."
        elif self.parting is None:
            yield "The texts are not the same: one goes on where the other ends. This is a bug: please report it."
        else:
            yield self._where(self.parting)
            yield _why(self.parting)

    def _where(self, parting: Parting) -> str:
        plain, drafted = self.plain[0].tokens, self.drafted[0].tokens
        said = b"".join(map(self.piece, plain[: parting.place])).decode(errors="replace")
        left, right = (self._shown(tokens[parting.place]) for tokens in (plain, drafted))
        return (
            f"The texts part at token {parting.place + 1}, after {len(said):,} characters: plain goes on with {left}, "
            f"drafted with {right}."
        )

    def _shown(self, token: int) -> str:
        """A token in quotation marks, which lines are not to be broken within."""
        return repr(self.piece(token).decode(errors="replace")).replace(" ", "\xa0")


def _why(parting: Parting) -> str:
    moved = f"passes of different lengths move them by up to {parting.rounding:.2g} there"
    if parting.is_near_tie:
        return (
            f"A near tie: moving each logit by {parting.distance:.2g} swaps the two, and {moved}. --exact looks for "
            "settings under which they do not."
        )
    return (
        f"No near tie: swapping the two takes {parting.distance:.2g} on each logit, but {moved}. This is a bug: please "
        "report it."
    )


def _seconds(answer: GenerationFinished) -> float:
    """From the prompt to the last token."""
    return answer.stats.prompt_seconds + answer.stats.predicted_seconds
