"""Which draft tokens survive: the two ways to choose tokens so that the text stays the target's own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from .distribution import Drawable
from .drafting import Draft
from .noise import Noise, Purpose

VerificationName = Literal["coupled", "rejection"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a round before the end of the text is looked for.

    `tokens` are the accepted draft tokens and one more: the *correction token* where a draft token was rejected, else
    the *bonus token*. `tested` counts the draft tokens that were looked at; those behind a rejection were not.
    """

    tokens: tuple[int, ...]
    accepted: int
    tested: int


class Verification(Protocol):
    """How target and draft choose their tokens, for one answer. `index` counts the tokens of the answer."""

    def propose(self, distribution: Drawable, index: int) -> int:
        """The draft's guess for the token at `index`, from the draft's distribution."""

    def verify(self, draft: Draft, target: Iterable[Drawable], index: int) -> Verdict:
        """Judge a draft whose first token stands at `index`.

        `target` yields the target's distributions: one for each draft token, given all draft tokens before it, and
        one more. Only as many are taken as are needed.
        """


def verification(name: VerificationName, noise: Noise) -> Verification:
    """The verification of that name for an answer with that noise."""
    return CoupledVerification(noise) if name == "coupled" else RejectionVerification(noise)


@dataclass(frozen=True, slots=True)
class CoupledVerification:
    """The target's token is a function of seed and index; a draft token is accepted while it is that token.

    The draft guesses with the same noise, so nothing that it does can change the text. See `SeededNoise.draw`.
    """

    noise: Noise

    def propose(self, distribution: Drawable, index: int) -> int:
        """The token that the target would choose if it had this distribution."""
        return _drawn(self.noise, distribution, index, Purpose.TARGET)

    def verify(self, draft: Draft, target: Iterable[Drawable], index: int) -> Verdict:
        """Accept while equal."""
        chosen: list[int] = []
        for offset, distribution in enumerate(target):
            chosen.append(_drawn(self.noise, distribution, index + offset, Purpose.TARGET))
            if offset == len(draft.tokens):
                return Verdict(tuple(chosen), offset, offset)
            if chosen[-1] != draft.tokens[offset]:
                return Verdict(tuple(chosen), offset, offset + 1)
        raise AssertionError("one distribution more than draft tokens is needed")


@dataclass(frozen=True, slots=True)
class RejectionVerification:
    """A draft token survives with probability min(1, target/draft), and is else replaced from the residual.

    Leviathan et al., arXiv 2211.17192; Chen et al., arXiv 2302.01318. The text has the target's distribution, but
    which text it is depends on the draft. Drafting, accepting and redrawing use independent noise.
    """

    noise: Noise

    def propose(self, distribution: Drawable, index: int) -> int:
        """A draw from the draft's distribution, all of which the ratio needs."""
        return self.noise.draw(distribution.exactly(), index, Purpose.DRAFT)

    def verify(self, draft: Draft, target: Iterable[Drawable], index: int) -> Verdict:
        """Accept by the ratio, then correct or continue."""
        wanted: Iterator[Drawable] = iter(target)
        for offset, guess in enumerate(draft.guesses):
            distribution = next(wanted).exactly()
            ratio = distribution.probability(guess.token) / guess.distribution.probability(guess.token)
            if not self.noise.accept(ratio, index + offset):
                correction = self.noise.draw(
                    distribution.residual(guess.distribution), index + offset, Purpose.RESIDUAL
                )
                return Verdict((*draft.tokens[:offset], correction), offset, offset + 1)
        count = len(draft.tokens)
        bonus = _drawn(self.noise, next(wanted), index + count, Purpose.TARGET)
        return Verdict((*draft.tokens, bonus), count, count)


def _drawn(noise: Noise, distribution: Drawable, index: int, purpose: Purpose) -> int:
    return distribution.drawn(lambda each: noise.draw(each, index, purpose))
