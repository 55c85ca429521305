"""The answer as one JSON object, for `--json`."""

from typing import TYPE_CHECKING, Any

from specchat.speculative.events import GenerationFinished
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.stats import GenerationStats

if TYPE_CHECKING:
    from specchat.speculative.llama.exactness import Exactness


def answer_content(finished: GenerationFinished, config: PairConfig, exactness: "Exactness | None") -> dict[str, Any]:
    """What JSON says of an answer; the names in `timings` are those of llama-server."""
    stats = finished.stats
    return {
        "text": finished.text,
        "reasoning": finished.reasoning or None,
        "finish_reason": finished.finish_reason,
        "complete": finished.complete,
        "model": str(config.target),
        "draft": str(config.draft),
        "seed": finished.seed,
        "usage": {
            "prompt_tokens": stats.prompt_tokens,
            "cached_tokens": stats.cached_tokens,
            "completion_tokens": stats.completion_tokens,
        },
        "timings": _timings(stats),
        "speculation": _speculation(stats),
        "exactness": exactness and _exactness(exactness),
    }


def _timings(stats: GenerationStats) -> dict[str, Any]:
    return {
        "prompt_n": stats.prompt_tokens - stats.cached_tokens,
        "prompt_ms": _rounded(stats.prompt_seconds * 1000),
        "prompt_per_second": _rounded(stats.prompt_per_second),
        "predicted_n": stats.completion_tokens,
        "predicted_ms": _rounded(stats.predicted_seconds * 1000),
        "predicted_per_second": _rounded(stats.predicted_per_second),
        "draft_n": stats.drafted,
        "draft_n_accepted": stats.accepted,
    }


def _speculation(stats: GenerationStats) -> dict[str, Any]:
    return {
        "rounds": stats.rounds,
        "drafted": stats.drafted,
        "tested": stats.tested,
        "accepted": stats.accepted,
        "acceptance_rate": _rounded(stats.acceptance_rate),
        "draft_yield": _rounded(stats.draft_yield),
        "tokens_per_round": _rounded(stats.tokens_per_round),
        "accepted_per_position": list(stats.accepted_per_position),
        "drafted_by": dict(stats.drafted_by),
        "pauses": dict(stats.pauses),
        "speedup": _rounded(stats.speedup),
    }


def _exactness(exactness: "Exactness") -> dict[str, Any]:
    return {
        "bit_exact": exactness.bit_exact,
        "rounding": exactness.rounding,
        "measured_context": exactness.context or None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
