"""The result of a benchmark as a picture."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from specchat.speculative.bench.report import Report, Summary
from specchat.speculative.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = ("#2a6f97", "#e07a1f", "#5b8c5a", "#8f5aa8", "#a83f4b", "#6b6b6b")


def check_plot(path: Path, library: str = "matplotlib") -> None:
    """Raise `UsageError` now for what would fail after minutes of measuring."""
    if find_spec(library) is None:
        raise UsageError("--plot needs matplotlib, which is not installed.", "pip install 'specchat[plot]'")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"There is no folder {path.absolute().parent} to draw into.")


def plot(report: Report, title: str, path: Path) -> None:
    """Draw speed-up by kind, acceptance by position, and the cost of passes with the lengths that were chosen."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 4.5), layout="constrained")
    speed, acceptance, costs = figure.subplots(1, 3)
    figure.suptitle(title)
    _draw_speed(speed, report)
    _draw_acceptance(acceptance, report)
    _draw_costs(costs, report)
    # no date in it: the same numbers give the same file
    figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _draw_speed(axes: "Axes", report: Report) -> None:
    cases = list(dict.fromkeys((row.kind, row.temperature) for row in report.rows))
    several = len({temperature for _, temperature in cases}) > 1
    height = 0.8 / max(1, len(report.summaries))
    for place, summary in enumerate(report.summaries):
        rows = [row for row in report.rows if row.variant == summary.variant]
        values = [row.speedup.value for row in rows]
        spans = [row.speedup.interval for row in rows]
        below = [value - span.low if span else 0.0 for value, span in zip(values, spans, strict=True)]
        above = [span.high - value if span else 0.0 for value, span in zip(values, spans, strict=True)]
        where = [cases.index((row.kind, row.temperature)) + place * height for row in rows]
        colour = _COLOURS[place % len(_COLOURS)]
        axes.barh(where, values, height, xerr=[below, above], label=summary.variant, color=colour, capsize=2)
    axes.axvline(1, color="black", linewidth=0.8)
    names = [f"{kind}, T {temperature:g}" if several else kind for kind, temperature in cases]
    axes.set_yticks([place + 0.4 - height / 2 for place in range(len(cases))], names)
    axes.invert_yaxis()
    axes.set_xlabel("times as fast as plain decoding, 95 % intervals")
    axes.legend(fontsize="small", loc="lower right")


def _draw_acceptance(axes: "Axes", report: Report) -> None:
    for place, summary in enumerate(report.summaries):
        shares = [100 * share for share in summary.drafting.by_position]
        if shares:
            colour = _COLOURS[place % len(_COLOURS)]
            axes.plot(range(1, len(shares) + 1), shares, marker="o", label=summary.variant, color=colour)
            axes.legend(fontsize="small")
    longest = max((len(summary.drafting.by_position) for summary in report.summaries), default=1)
    axes.set_xticks(range(1, longest + 1))
    axes.set_ylim(0, 102)
    axes.set_xlabel("position in the draft")
    axes.set_ylabel("accepted of the tested guesses, %")


def _draw_costs(axes: "Axes", report: Report) -> None:
    axes.set_xlabel("draft tokens that a pass checks")
    if report.costs:
        milliseconds = [1000 * seconds for seconds in report.costs.target]
        axes.plot(range(len(milliseconds)), milliseconds, marker="o", color="black", label="a pass of the target")
        drafts = [1000 * report.costs.draft * length for length in range(len(milliseconds))]
        if report.costs.draft:
            axes.plot(range(len(drafts)), drafts, linestyle="--", color="grey", label="drafting as many")
        axes.set_ylabel("ms")
        axes.set_ylim(bottom=0)
        axes.legend(fontsize="small", loc="upper left")
    if report.summaries:
        _draw_lengths(axes.twinx(), report.summaries[0])


def _draw_lengths(axes: "Axes", summary: Summary) -> None:
    rounds = sum(summary.drafting.lengths)
    shares = [100 * count / rounds for count in summary.drafting.lengths]
    axes.bar(range(len(shares)), shares, color=_COLOURS[0], alpha=0.25)
    axes.set_ylabel(f"rounds of {summary.variant} that drafted so many, %")
