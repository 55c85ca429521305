"""The result of a benchmark as one JSON object."""

import json
from typing import Any

from specchat.speculative.bench.advice import advice
from specchat.speculative.bench.answer import Answer, Pairing
from specchat.speculative.bench.ratios import Estimate
from specchat.speculative.bench.report import Report, Row, Summary
from specchat.speculative.llama.pair_config import PairConfig

from .setup import Contest

_DIGITS = 5


def report_json(report: Report, config: PairConfig, contest: Contest) -> str:
    """One line of JSON; times are in seconds, a speed-up of 2 is half the time."""
    content = {
        "model": str(config.target),
        "draft": str(config.draft),
        "against": contest.subject.rival,
        "exact": config.exact,
        "seed": contest.seed,
        "max_tokens": contest.tokens,
        "ending": report.ending,
        "seconds": round(report.seconds, 1),
        "advice": advice(report, contest.subject),
        "calibration": _estimate(report.calibration),
        "variants": [_summary(each) for each in report.summaries],
        "rows": [_row(each) for each in report.rows],
        "looping": [dict(zip(("variant", "kind", "temperature"), each, strict=True)) for each in report.looping],
        "costs": {"target": _rounded(report.costs.target), "draft": report.costs.draft} if report.costs else None,
        "pairs": [_pair(each) for each in report.pairings],
    }
    return json.dumps(content)


def _estimate(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    interval = estimate.interval
    return {
        "value": round(estimate.value, _DIGITS),
        "interval": _rounded((interval.low, interval.high)) if interval else None,
        "pairs": estimate.count,
    }


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "variant": summary.variant,
        "speedup": _estimate(summary.speedup),
        "rounds_by_length": list(summary.drafting.lengths),
        "tested_per_position": list(summary.drafting.tested),
        "accepted_per_position": list(summary.drafting.accepted),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "variant": row.variant,
        "kind": row.kind,
        "temperature": row.temperature,
        "speedup": _estimate(row.speedup),
        "first_token_ratio": round(row.first_token, _DIGITS),
        "tokens": row.tokens,
        "plain_per_second": round(row.plain_per_second, _DIGITS),
        "per_second": round(row.per_second, _DIGITS),
        "acceptance_rate": None if row.acceptance is None else round(row.acceptance, _DIGITS),
        "parted": row.parted,
    }


def _pair(pair: Pairing) -> dict[str, Any]:
    return {
        "variant": pair.variant,
        "kind": pair.case.prompt.kind,
        "temperature": pair.case.temperature,
        "speedup": round(pair.speedup, _DIGITS),
        "loops": pair.loops,
        "parted": pair.parted,
        "plain": _answer(pair.plain),
        "other": _answer(pair.other),
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "seconds": round(answer.seconds, _DIGITS),
        "first_token": round(answer.first_token, _DIGITS),
        "prompt_tokens": answer.prompt_tokens,
        "tokens": len(answer.tokens),
        "finish_reason": answer.finish_reason,
        "shown_speedup": None if answer.shown is None else round(answer.shown, _DIGITS),
        "rounds": len(answer.drafted),
        "drafted": list(answer.drafted) if any(answer.drafted) else [],
        "accepted": list(answer.accepted) if any(answer.drafted) else [],
    }


def _rounded(values: tuple[float, ...]) -> list[float]:
    return [round(value, _DIGITS) for value in values]
