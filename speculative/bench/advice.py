"""One sentence on what to do about the draft."""

from ..drafting import NGRAM
from .gains import BETTER, WORTH
from .report import Costs, Report, Summary
from .subject import Subject
from .variants import ADAPTIVE

_STEEP = 1.6
"""A pass over two tokens that costs so many passes over one leaves nothing to gain by guessing."""
_GUESSES_WELL = 0.75


def advice(report: Report, subject: Subject) -> str:
    """Keep this draft, take another, or none."""
    drafted = report.summary(ADAPTIVE)
    rival = report.summary(subject.rival_variant) if subject.rival_variant else None
    if drafted is None:
        return _without_draft(report, rival, subject)
    speed = drafted.speedup.value
    if rival and rival.speedup.value > max(speed, 1) * BETTER:
        return (
            f"Take {subject.rival} instead: without any draft it is {_times(rival)} as fast as this target, "
            f"which reaches {_times(drafted)} with its draft; compare what they write."
        )
    ngram = report.summary(NGRAM)
    if ngram and ngram.speedup.value > max(speed, 1) * BETTER:
        return f"Draft by n-grams, with --draft ngram: {_times(ngram)} plain decoding, against {_times(drafted)}."
    if speed >= WORTH and _above_one(drafted):
        return f"Keep this draft: {_times(drafted)} plain decoding over these texts."
    if speed >= WORTH:
        return f"Keep this draft for now: it looks like {_times(drafted)}, but more time (--seconds) has to confirm it."
    reasons = _not_worth(report.costs, drafted, subject)
    sure = drafted.speedup.interval is not None
    return reasons if sure else f"{reasons.removesuffix('.')}; more time (--seconds) has to confirm that."


def _without_draft(report: Report, rival: Summary | None, subject: Subject) -> str:
    if rival is None and report.looping:
        return (
            "Give it other texts, with -f FILE, or another temperature, with --temp: answers that repeat themselves "
            "say nothing about drafting."
        )
    if rival is None:
        return "Nothing was measured long enough to give advice: allow more time with --seconds."
    if rival.speedup.value > BETTER:
        return f"Take {subject.rival} where speed counts: it is {_times(rival)} as fast; compare what they write."
    return f"Keep this target: {subject.rival} is {_times(rival)} as fast."


def _not_worth(costs: Costs | None, drafted: Summary, subject: Subject) -> str:
    """Why the draft does not pay, and what would."""
    result = f"Take no draft (--draft none): it brings {_times(drafted)}"
    if costs and len(costs.target) > 1 and costs.target[1] >= _STEEP * costs.target[0]:
        dearer = costs.target[1] / costs.target[0]
        return f"{result}, since a pass over two tokens costs this machine {dearer:.1f} passes over one."
    if subject.ngrams:
        return (
            "Try a small model of the same family (--draft FILE), or take no draft (--draft none): n-grams do not pay "
            f"on these texts, they bring {_times(drafted)}."
        )
    acceptance = drafted.drafting.acceptance
    if acceptance is None:
        return f"{result}, since it saw nothing worth drafting in these texts."
    if costs and costs.draft > 0 and acceptance >= _GUESSES_WELL:
        share = costs.draft / costs.target[0]
        return (
            f"Take a smaller draft, or none: this one is right often enough ({acceptance:.0%}), but a guess costs it "
            f"{share:.0%} of a pass of the target, and it brings {_times(drafted)}."
        )
    return (
        f"Take another draft, closer to the target, or none: only {acceptance:.0%} of the guesses are right, and it "
        f"brings {_times(drafted)}."
    )


def _times(summary: Summary) -> str:
    return f"{summary.speedup.value:.2f} ×"


def _above_one(summary: Summary) -> bool:
    return summary.speedup.interval is not None and summary.speedup.interval.low > 1
