"""Whether an answer is the target's own."""

import math
from collections.abc import Sequence

from specchat.speculative.logprobs import ScoredToken, TokenLogprob

from .oracle import Expected
from .said import Said

_SAME = 1e-5


def complaint(said: Said, expected: Expected, faults: bool) -> str | None:
    """What is wrong with what was `said`."""
    plain, at_once = expected.whole, expected.at_once
    if plain.ending == "cut" and plain.error is None:
        return "the plain answer was cancelled"
    if at_once is not None and plain.tokens != at_once.tokens[said.asked.index :][: len(plain.tokens)]:
        return f"in parts and at once: {_parting(plain.tokens, at_once.tokens[said.asked.index :])}"
    if said.ending == "whole" or (said.error is not None and not faults):
        return _differs(said, plain, ("reason", "seed", "complete", "error"))
    if said.tokens != plain.tokens[: len(said.tokens)]:
        return _parting(said.tokens, plain.tokens)
    if said.ending == "dropped":
        return _streamed(said, plain)
    if expected.upto is None:
        return f"text without tokens: {said.text!r}" if said.text or said.reasoning else None
    return _differs(said, expected.upto, ("seed",) if said.error else ("seed", "complete"))


def _streamed(said: Said, plain: Said) -> str | None:
    for name in ("text", "reasoning"):
        if not getattr(plain, name).startswith(getattr(said, name)):
            return f"{name} came as {getattr(said, name)!r} of {getattr(plain, name)!r}"
    return None if _agree(said.scored, plain.scored, whole=False) else f"scores: {said.scored}, not {plain.scored}"


def _differs(said: Said, plain: Said, names: tuple[str, ...]) -> str | None:
    if said.tokens != plain.tokens:
        return _parting(said.tokens, plain.tokens)
    for name in ("text", "reasoning", *names):
        if getattr(said, name) != getattr(plain, name):
            return f"{name}: {getattr(said, name)!r}, not {getattr(plain, name)!r}"
    return None if _agree(said.scored, plain.scored) else f"scores: {said.scored}, not {plain.scored}"


def _parting(tokens: Sequence[int], plain: Sequence[int]) -> str:
    place = next((place for place, pair in enumerate(zip(tokens, plain, strict=False)) if pair[0] != pair[1]), None)
    return f"tokens part at {place}: {tokens}, not {plain}"


def _agree(said: Sequence[ScoredToken], plain: Sequence[ScoredToken], whole: bool = True) -> bool:
    if whole and len(said) != len(plain):
        return False
    tokens = [(one.chosen, *one.best) for one in said], [(one.chosen, *one.best) for one in plain]
    return all(len(one) == len(other) and all(map(_close, one, other)) for one, other in zip(*tokens, strict=False))


def _close(one: TokenLogprob, other: TokenLogprob) -> bool:
    values = ((one.logprob, other.logprob), (one.sampled, other.sampled))
    return one.token == other.token and all(a == b or math.isclose(a, b, rel_tol=0, abs_tol=_SAME) for a, b in values)
