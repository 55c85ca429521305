"""The search for settings under which passes of all lengths in use agree to the last bit.

What can be tried: other types for the cache (attention is what differs), weights as they are in the file and kernels
that treat each row alone (products with weights differ), fewer tokens in a pass, and two where there would be one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ..errors import SpecchatError
from ..exact import PassLengths, agreeing, cost, seconds_a_token
from ..rounding import Rounding
from .config import LlamaConfig
from .pair_config import DEFAULT_DRAFT_MAX
from .rounding_probe import Probe

SHORT, SPLIT, LONG = 32, 288, 1500
"""Contexts to measure after: one where only products with weights can differ, one that llama.cpp splits among threads
for a single query (it does from 256 tokens on), and a long one."""
LONGEST = DEFAULT_DRAFT_MAX + 1
"""The longest pass that drafting uses."""
ALL_LENGTHS = tuple(range(1, LONGEST + 1))
_TELLING = (1, 2, 3, 4, 5, 8, 12, LONGEST)
_CACHES = (("bf16", "bf16"), ("f16", "q8_0"), ("q8_0", "q8_0"))
"""The most precise first."""
_HARDLY_DEARER = 1.1

Measure = Callable[[LlamaConfig, Sequence[int], Sequence[int], str], Probe]
"""Measures passes of lengths, the third argument, after contexts, the second; the last one says what is being done."""


class NotExactError(SpecchatError):
    """No settings were found under which passes agree to the last bit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Settings under which passes over `least` to `most` tokens were measured to agree, and what they cost.

    The costs are multiples of those without `--exact`: of a plain pass, and of a token in the best pass. `context` is
    the longest that was measured.
    """

    cache_type_k: str
    cache_type_v: str
    repack: bool
    tiled: bool
    least: int
    most: int
    context: int
    plain_cost: float
    drafted_cost: float

    def changes(self, config: LlamaConfig) -> list[str]:
        """What is other than in `config` and may change texts, in words."""
        caches = (self.cache_type_k, self.cache_type_v)
        known = {
            f"a cache of {' and '.join(caches)}": caches != (config.cache_type_k, config.cache_type_v),
            "weights laid out as in the file": self.repack != config.repack,
            "kernels that multiply row by row": self.tiled != config.tiled,
            "two tokens in a pass where there would be one": self.least != config.min_pass,
        }
        return [change for change, made in known.items() if made]

    def applied(self, config: LlamaConfig) -> LlamaConfig:
        """The settings of `config`, exact."""
        return replace(
            config,
            cache_type_k=self.cache_type_k,
            cache_type_v=self.cache_type_v,
            repack=self.repack,
            tiled=self.tiled,
            min_pass=self.least,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """Settings that should agree, by what is known so far, and what they should cost in seconds."""

    config: LlamaConfig
    lengths: PassLengths
    cost: float


def _as_far_as_proven(candidate: Candidate, proof: Probe) -> Candidate | None:
    """The candidate with the lengths that its proof, by padded passes, allows; None if those are none."""
    [padded] = [lengths for lengths in agreeing(proof.roundings) if lengths.least == 1] or [PassLengths(1, 1)]
    most = min(padded.most, candidate.lengths.most)
    if most <= candidate.lengths.least:
        return None
    promised, proven = PassLengths(1, candidate.lengths.most), PassLengths(1, most)
    dearer = cost(proven, proof.roundings[0]) / cost(promised, proof.roundings[0])
    return Candidate(candidate.config, PassLengths(candidate.lengths.least, most), dearer * candidate.cost)


def by_cost(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """The cheapest first; of those that hardly differ in cost, the first."""
    cheapest = min((each.cost for each in candidates), default=1.0)
    return sorted(candidates, key=lambda each: int(math.log(each.cost / cheapest) / math.log(_HARDLY_DEARER)))


@dataclass(frozen=True, slots=True)
class Search:
    """Explores settings after short contexts, and proves the cheapest that may do after a long one."""

    asked: LlamaConfig
    measure: Measure
    name: str

    def run(self) -> Certificate:
        """The cheapest settings that are exact. Raises `NotExactError`."""
        first = self.measure(self.asked, (SHORT, SPLIT), _TELLING, "as it is")
        if first.forgets:  # nothing is ever drafted for it
            return self._certificate(self.asked, PassLengths(1, LONGEST), first, first)
        proven: list[tuple[Candidate, Probe]] = []
        for candidate in by_cost(list(self._candidates(first))):
            if proven and proven[-1][0].cost <= candidate.cost:
                break
            proof = self._prove(candidate)
            if (found := _as_far_as_proven(candidate, proof)) is not None:
                proven.append((found, proof))
        if not proven:
            raise self._none(first)
        best, proof = min(proven, key=lambda each: each[0].cost)
        return self._certificate(best.config, best.lengths, first, proof)

    def _prove(self, candidate: Candidate) -> Probe:
        """Measure all lengths after a long context too."""
        config = replace(candidate.config, min_pass=candidate.lengths.least)
        return self.measure(config, (SPLIT, LONG), ALL_LENGTHS, f"in a context of {LONG:,} tokens")

    def _candidates(self, first: Probe) -> Iterator[Candidate]:
        """Every choice of kernels and caches under which passes should agree."""
        kernels = list(self._kernels(first))
        bases = [(config, rounding) for config, rounding in kernels if agreeing([rounding])]
        if not bases:
            return
        base, weights = bases[0]
        caches = list(self._caches(base, weights, first))
        for (kernel, rounding), ((type_k, type_v), attention) in product(kernels, caches):
            dearer = attention.seconds[1] / caches[0][1].seconds[1]
            for lengths in agreeing([rounding]):
                if _agrees(attention, _range(weights, lengths.least)):
                    config = replace(kernel, cache_type_k=type_k, cache_type_v=type_v)
                    yield Candidate(config, lengths, dearer * cost(lengths, rounding))

    def _kernels(self, first: Probe) -> Iterator[tuple[LlamaConfig, Rounding]]:
        """Ways to multiply with weights, and their rounding after a context too short for attention to differ."""
        by_row = replace(self.asked, repack=False, tiled=False)
        if not first.experts:
            yield self.asked, first.roundings[0]
            if _range(first.roundings[0], 1).most == LONGEST:
                return
        # how many rows an expert gets depends on the other tokens: only kernels that take rows one by one are exact
        others = [by_row] if first.experts else [replace(self.asked, repack=False), by_row]
        for config in others:
            yield config, self.measure(config, (SHORT,), _TELLING, "with simpler kernels").roundings[0]

    def _caches(
        self, kernel: LlamaConfig, weights: Rounding, first: Probe
    ) -> Iterator[tuple[tuple[str, str], Rounding]]:
        """Types of the cache, and the rounding after a context that attention may split, by one way to multiply."""
        asked = (self.asked.cache_type_k, self.asked.cache_type_v)
        attention = first.roundings[-1] if kernel == self.asked else self._attention(kernel, "as it is")
        yield asked, attention
        if all(_agrees(attention, lengths) for lengths in agreeing([weights])):
            return
        for type_k, type_v in _CACHES:
            if (type_k, type_v) != asked and not (type_v == "q8_0" and self.asked.flash_attention == "off"):
                config = replace(kernel, cache_type_k=type_k, cache_type_v=type_v)
                yield (type_k, type_v), self._attention(config, f"with a cache of {type_k} and {type_v}")

    def _attention(self, config: LlamaConfig, doing: str) -> Rounding:
        return self.measure(config, (SPLIT,), _TELLING, doing).roundings[0]

    def _certificate(self, config: LlamaConfig, lengths: PassLengths, first: Probe, proof: Probe) -> Certificate:
        plain = drafted = 1.0
        if proof is not first:
            before = seconds_a_token(PassLengths(1, LONGEST), first.roundings[-1])
            after = seconds_a_token(PassLengths(1, lengths.most), proof.roundings[0])
            plain, drafted = (new / old for new, old in zip(after, before, strict=True))
        return Certificate(
            cache_type_k=config.cache_type_k,
            cache_type_v=config.cache_type_v,
            repack=config.repack,
            tiled=config.tiled,
            least=lengths.least,
            most=lengths.most,
            context=proof.roundings[-1].context if proof.roundings else 0,
            plain_cost=plain,
            drafted_cost=drafted,
        )

    def _none(self, first: Probe) -> NotExactError:
        reason = "what an expert computes depends on the other tokens" if first.experts else "passes round differently"
        return NotExactError(
            f"No settings were found under which {self.name} is exact to the last bit: {reason}.",
            "Without --exact, texts are the same up to rounding; --draft none decodes plain.",
        )


def _range(rounding: Rounding, least: int) -> PassLengths:
    """The lengths that agree with `least`, which may be that one alone."""
    return next((each for each in agreeing([rounding]) if each.least == least), PassLengths(least, least))


def _agrees(rounding: Rounding, lengths: PassLengths) -> bool:
    """Whether all the lengths that were measured agree with the least of them."""
    gaps = rounding.differences[lengths.least]
    return not any(gap for length, gap in gaps.items() if length <= lengths.most)
