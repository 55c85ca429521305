"""How likely each token was, for `--logprobs`: as in the `logprobs` of OpenAI's chat completions."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from specchat.speculative.logprobs import ScoredToken, TokenLogprob

Spell = Callable[[int], tuple[str, bytes]]
"""A token as people read it, and the bytes that it adds to a text."""


def logprobs_content(tokens: Sequence[ScoredToken], spell: Spell) -> dict[str, Any]:
    """What JSON says of the tokens.

    `id`, `is_reasoning`, which is null while that is not known, and `sampled_logprob`, which is for what was cut off,
    are ours.
    """
    return {"content": [_content(token, spell) for token in tokens]}


def _content(token: ScoredToken, spell: Spell) -> dict[str, Any]:
    best = [_token(each, spell) for each in token.best]
    return {**_token(token.chosen, spell), "is_reasoning": token.is_reasoning, "top_logprobs": best}


def _token(token: TokenLogprob, spell: Spell) -> dict[str, Any]:
    text, added = spell(token.token)
    return {
        "token": text,
        "id": token.token,
        "logprob": _number(token.logprob),
        "sampled_logprob": _number(token.sampled),
        "bytes": list(added) or None,
    }


def _number(logprob: float) -> float | None:
    """JSON has no infinity."""
    return logprob if math.isfinite(logprob) else None
