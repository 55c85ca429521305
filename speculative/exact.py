"""Which pass lengths agree to the last bit, by what was measured of their rounding."""

from collections.abc import Sequence
from dataclasses import dataclass

from .rounding import REFERENCES, Rounding


@dataclass(frozen=True, slots=True)
class PassLengths:
    """Passes over `least` to `most` tokens agree with one another; shorter ones are padded to `least`."""

    least: int
    most: int


def agreeing(measured: Sequence[Rounding]) -> tuple[PassLengths, ...]:
    """The longest ranges of agreeing lengths that every measurement allows, for each reference that has any.

    A range that starts at 2 is only given where it goes further than the one that starts at 1.
    """
    found = [PassLengths(least, _most(least, measured)) for least in REFERENCES]
    ranges = [each for each in found if each.most > each.least]
    return tuple(each for each in ranges if each.least == 1 or each.most > found[0].most)


def _most(least: int, measured: Sequence[Rounding]) -> int:
    """Up to which length all measured ones agree with `least`."""
    lengths = sorted(measured[0].differences[least])
    most = least
    for length in lengths:
        if any(rounding.differences[least][length] for rounding in measured):
            break
        most = length
    return most


def seconds_a_token(lengths: PassLengths, rounding: Rounding) -> tuple[float, float]:
    """The seconds of a token decoded plain, and of one in the best pass whose guesses are all right."""
    plain = rounding.seconds[lengths.least]
    best = min(
        seconds / length for length, seconds in rounding.seconds.items() if lengths.least <= length <= lengths.most
    )
    return plain, min(plain, best)


def cost(lengths: PassLengths, rounding: Rounding) -> float:
    """What generating costs by these passes, for comparing: half of it plain, half of it drafted as well as can be."""
    return sum(seconds_a_token(lengths, rounding))
