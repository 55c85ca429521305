"""What the measured pairs say."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from ..costs import CostCurve
from .answer import Answer, Pairing
from .ratios import Estimate, geometric_mean, median_estimate
from .schedule import Ending
from .variants import PLAIN

_ENOUGH = 10
"""Guesses at a position before their share says anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A variant on one kind of text at one temperature. Loops are left out; `parted` counts texts that differ.

    `first_token` is how much longer it takes to the first token, `plain_per_second` and `per_second` are tokens, and
    `acceptance` is accepted over tested, None where nothing was drafted.
    """

    variant: str
    kind: str
    temperature: float
    speedup: Estimate
    first_token: float
    tokens: int
    plain_per_second: float
    per_second: float
    acceptance: float | None
    parted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """What a variant drafted: how often each length, and what became of the first, second, … draft token."""

    lengths: tuple[int, ...]
    """How many rounds drafted 0, 1, 2, … tokens."""
    tested: tuple[int, ...]
    accepted: tuple[int, ...]

    @property
    def acceptance(self) -> float | None:
        """Accepted over tested."""
        return sum(self.accepted) / sum(self.tested) if self.tested else None

    @property
    def by_position(self) -> tuple[float, ...]:
        """Accepted over tested for the first, second, … draft token, as far as enough were tested."""
        places = zip(self.accepted, self.tested, strict=True)
        return tuple(accepted / tested for accepted, tested in places if tested >= _ENOUGH)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A variant over all kinds of text."""

    variant: str
    speedup: Estimate
    drafting: Drafting


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of target passes over 1, 2, … tokens, and of one draft token, 0 where drafting is free."""

    target: tuple[float, ...]
    draft: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that a benchmark found. `looping` names variant, kind and temperature of what was left out."""

    rows: tuple[Row, ...]
    summaries: tuple[Summary, ...]
    calibration: Estimate | None
    looping: tuple[tuple[str, str, float], ...]
    costs: Costs | None
    ending: Ending
    seconds: float
    pairings: tuple[Pairing, ...]

    def summary(self, variant: str) -> Summary | None:
        """What is known of a variant."""
        return next((each for each in self.summaries if each.variant == variant), None)


def report(pairings: Sequence[Pairing], costs: Costs | None, ending: Ending, seconds: float) -> Report:
    """Everything that follows from the pairs."""
    usable = [pair for pair in pairings if not pair.loops]
    plain = [pair.speedup for pair in usable if pair.variant == PLAIN]
    compared = [pair for pair in usable if pair.variant != PLAIN]
    return Report(
        rows=tuple(_row(variant, pairs) for (variant, _), pairs in _grouped(compared).items()),
        summaries=tuple(_summaries(compared)),
        calibration=median_estimate(plain) if plain else None,
        looping=tuple(
            dict.fromkeys(
                (pair.variant, pair.case.prompt.kind, pair.case.temperature) for pair in pairings if pair.loops
            )
        ),
        costs=costs,
        ending=ending,
        seconds=seconds,
        pairings=tuple(pairings),
    )


def costs_of(target: CostCurve | None, draft: CostCurve | None, most: int) -> Costs | None:
    """The costs of passes over up to `most` draft tokens."""
    if not target:
        return None
    return Costs(tuple(target.upto(most + 1).tolist()), draft.at(1) if draft else 0.0)


def _grouped(pairings: Iterable[Pairing]) -> dict[tuple[str, object], list[Pairing]]:
    """The pairs of each variant on each case."""
    groups: dict[tuple[str, object], list[Pairing]] = {}
    for pair in pairings:
        groups.setdefault((pair.variant, pair.case), []).append(pair)
    return groups


def _row(variant: str, pairs: Sequence[Pairing]) -> Row:
    case = pairs[0].case
    return Row(
        variant=variant,
        kind=case.prompt.kind,
        temperature=case.temperature,
        speedup=median_estimate([pair.speedup for pair in pairs]),
        first_token=median(pair.first_token for pair in pairs),
        tokens=round(median(len(pair.other.tokens) for pair in pairs)),
        plain_per_second=median(pair.plain.per_second or 0.0 for pair in pairs),
        per_second=median(pair.other.per_second or 0.0 for pair in pairs),
        acceptance=drafting([pair.other for pair in pairs]).acceptance,
        parted=sum(pair.parted for pair in pairs),
    )


def _summaries(pairings: Sequence[Pairing]) -> Iterable[Summary]:
    for variant in dict.fromkeys(pair.variant for pair in pairings):
        own = [pair for pair in pairings if pair.variant == variant]
        groups = [[pair.speedup for pair in pairs] for pairs in _grouped(own).values()]
        drafted = drafting([pair.other for pair in own])
        yield Summary(variant=variant, speedup=geometric_mean(groups), drafting=drafted)


def drafting(answers: Sequence[Answer]) -> Drafting:
    """What was drafted in all these answers, round by round."""
    rounds = [pair for answer in answers for pair in zip(answer.drafted, answer.accepted, strict=True)]
    longest = max((drafted for drafted, _ in rounds), default=0)
    lengths = Counter(drafted for drafted, _ in rounds)
    return Drafting(
        lengths=tuple(lengths[length] for length in range(longest + 1)),
        tested=tuple(
            sum(drafted > place and accepted >= place for drafted, accepted in rounds) for place in range(longest)
        ),
        accepted=tuple(sum(accepted > place for _, accepted in rounds) for place in range(longest)),
    )
