"""The search for settings under which passes of all lengths in use agree to the last bit.

What can be tried: other types for the cache (attention is what differs), weights as they are in the file and kernels
that treat each row alone (products with weights differ), fewer tokens in a pass, and two where there would be one.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ..errors import ModelLoadError, NotExactError
from ..exact import PassLengths, agreeing, cost, seconds_a_token
from ..rounding import Rounding
from .certificate import LONGEST, Certificate
from .config import LlamaConfig
from .rounding_probe import Probe

SHORT, SPLIT = 32, 288
"""Contexts to explore after: one where only products with weights can differ, and one that llama.cpp splits among
threads for a single query (it does from 256 tokens on)."""
PROOF = (SHORT, 505, 1530)
"""Contexts to prove after; passes behind the last two cross a multiple of 256, the steps in which caches are read."""
ALL_LENGTHS = tuple(range(1, LONGEST + 1))
_TELLING = (1, 2, 3, 4, 5, 8, 12, LONGEST)
_CACHES = (("bf16", "bf16"), ("f16", "q8_0"), ("q8_0", "q8_0"))
"""The most precise first."""
_HARDLY_DEARER = 1.1

Measure = Callable[[LlamaConfig, Sequence[int], Sequence[int], str], Probe]
"""Measures passes of lengths, the third argument, after contexts, the second; the last one says what is being done."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Settings that should agree, by what is known so far, and what they should cost in seconds."""

    config: LlamaConfig
    lengths: PassLengths
    cost: float


def _as_far_as_proven(candidate: Candidate, proof: Probe) -> Candidate | None:
    """The candidate with the lengths that its proof, by padded passes, allows; None if those are none."""
    [padded] = [lengths for lengths in agreeing(proof.roundings) if lengths.least == 1] or [PassLengths(1, 1)]
    if padded.most <= candidate.lengths.least:
        return None
    promised = PassLengths(1, candidate.lengths.most)
    dearer = cost(padded, proof.roundings[0]) / cost(promised, proof.roundings[0])
    return Candidate(candidate.config, PassLengths(candidate.lengths.least, padded.most), dearer * candidate.cost)


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
        if first.experts and first.gpu:
            raise self._none(first)
        best: tuple[Candidate, Probe] | None = None
        for candidate in by_cost(list(self._candidates(first))):
            if best and best[0].cost < _HARDLY_DEARER * candidate.cost:
                break
            proof = self._prove(candidate)
            found = proof and _as_far_as_proven(candidate, proof)
            if proof and found and (best is None or _HARDLY_DEARER * found.cost <= best[0].cost):
                best = found, proof
        if best is None:
            raise self._none(first)
        proven, proof = best
        return self._certificate(proven.config, proven.lengths, first, proof)

    def _prove(self, candidate: Candidate) -> Probe | None:
        """Measure all lengths after a long context too."""
        config = replace(candidate.config, min_pass=candidate.lengths.least)
        return self._try(config, PROOF, ALL_LENGTHS, f"in a context of {PROOF[-1]:,} tokens")

    def _try(self, config: LlamaConfig, contexts: Sequence[int], lengths: Sequence[int], doing: str) -> Probe | None:
        """Measure settings that nobody asked for: None where llama.cpp cannot load the model by them."""
        try:
            return self.measure(config, contexts, lengths, doing)
        except ModelLoadError:
            return None

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
            for lengths in _lengths(rounding, first.experts):
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
            if found := self._try(config, (SHORT,), _TELLING, "with simpler kernels"):
                yield config, found.roundings[0]

    def _caches(
        self, kernel: LlamaConfig, weights: Rounding, first: Probe
    ) -> Iterator[tuple[tuple[str, str], Rounding]]:
        """Types of the cache, and the rounding after a context that attention may split, by one way to multiply."""
        asked = (self.asked.cache_type_k, self.asked.cache_type_v)
        attention = first.roundings[-1] if kernel == self.asked else self._attention(kernel, "as it is")
        if attention is None:
            return
        yield asked, attention
        if all(_agrees(attention, lengths) for lengths in agreeing([weights])):
            return
        for type_k, type_v in _CACHES:
            if (type_k, type_v) != asked and not (type_v == "q8_0" and self.asked.flash_attention == "off"):
                config = replace(kernel, cache_type_k=type_k, cache_type_v=type_v)
                if found := self._attention(config, f"with a cache of {type_k} and {type_v}"):
                    yield (type_k, type_v), found

    def _attention(self, config: LlamaConfig, doing: str) -> Rounding | None:
        found = self._try(config, (SPLIT,), _TELLING, doing)
        return found.roundings[0] if found else None

    def _certificate(self, config: LlamaConfig, lengths: PassLengths, first: Probe, proof: Probe) -> Certificate:
        plain = drafted = 1.0
        if proof is not first:
            before = seconds_a_token(PassLengths(1, LONGEST), first.roundings[0])
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
            "Leave --exact out: texts are then the same up to rounding.",
        )


def _lengths(rounding: Rounding, experts: bool) -> Sequence[PassLengths]:
    """Ranges of lengths that agree; with experts no token goes alone.

    What chooses experts is a product with weights in 32 bits, which llama.cpp adds up in another order for one token
    than for several. Behind it, quantised weights hide the difference for all but one of some thousand tokens, so that
    it is hardly ever measured.
    """
    found = agreeing([rounding])
    return [PassLengths(2, each.most) for each in found if each.most > 2] if experts else found


def _range(rounding: Rounding, least: int) -> PassLengths:
    """The lengths that agree with `least`, which may be that one alone."""
    return PassLengths(least, max((each.most for each in agreeing([rounding]) if each.least <= least), default=least))


def _agrees(rounding: Rounding, lengths: PassLengths) -> bool:
    """Whether all the lengths that were measured agree with the least of them."""
    gaps = rounding.differences[lengths.least]
    return not any(gap for length, gap in gaps.items() if length <= lengths.most)
