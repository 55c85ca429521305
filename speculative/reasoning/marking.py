"""Which of the tokens that were scored are reasoning."""

from collections.abc import Sequence
from dataclasses import replace

from ..logprobs import ScoredToken
from .spans import Phase

_IS_REASONING: dict[Phase, bool | None] = {"undecided": None, "reasoning": True, "between": True, "answer": False}
"""By the phase that a text is in behind a token; the marks around reasoning are part of it."""


def marked(tokens: Sequence[ScoredToken], phases: Sequence[Phase]) -> tuple[ScoredToken, ...]:
    """The tokens, each by the phase that the text is in behind it."""
    return tuple(replace(token, is_reasoning=_IS_REASONING[phase]) for token, phase in zip(tokens, phases, strict=True))


def settled(tokens: Sequence[ScoredToken]) -> tuple[ScoredToken, ...]:
    """The tokens of a text that is over: what could still become reasoning is what came of it."""
    found, is_reasoning = list[ScoredToken](), False
    for token in reversed(tokens):
        is_reasoning = is_reasoning if token.is_reasoning is None else token.is_reasoning
        found.append(replace(token, is_reasoning=is_reasoning))
    return tuple(reversed(found))
