"""The result of a benchmark as text, for terminals of 40 columns and more."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from specchat.speculative.bench.advice import advice
from specchat.speculative.bench.ratios import Estimate
from specchat.speculative.bench.report import Report, Row, Summary
from specchat.speculative.bench.subject import Subject

from ..display.quantities import counted
from ..display.screen import wrapped

_WIDE, _ROOMY = 72, 54
"""Columns from which there is room for speeds, and for intervals."""
_EIGHTHS = " ▏▎▍▌▋▊▉"
_LATE = 1.02
_SHORT = 64
_ALL = "all of them"
_ENDINGS = {
    "narrow": "everything is known to within 1.5 %",
    "looping": "nothing more to learn",
    "time": "the time was up",
    "stopped": "stopped",
    "failed": "an error ended it",
}


def bench_text(report: Report, subject: Subject, columns: int) -> str:
    """Tables with bars, what else is worth knowing, and one sentence of advice."""
    if not report.rows and not report.looping:
        return "Stopped before anything was known.\n"
    tables = [_table(report, summary, columns) for summary in report.summaries]
    notes = [_wrapped(each, columns) for each in _notes(report, subject, speeds=columns >= _WIDE)]
    blocks = [_wrapped(f"{subject.title}: times as fast as plain decoding", columns), *tables, "\n".join(notes)]
    return "\n\n".join([*blocks, _wrapped(advice(report, subject), columns)]) + "\n"


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    speedup: Estimate
    speeds: str
    accepted: str


def _table(report: Report, summary: Summary, columns: int) -> str:
    rows = [row for row in report.rows if row.variant == summary.variant]
    several = len({row.temperature for row in report.rows}) > 1
    lines = [_line(row, several) for row in rows]
    if len(rows) > 1:
        lines.append(_Line(_ALL, summary.speedup, "", _percent(summary.drafting.acceptance)))
    scale = max(1.25, *(each.speedup.value for each in report.rows))
    return "\n".join(
        [_header(summary.variant, lines, columns), *(_shown(line, lines, scale, columns) for line in lines)]
    )


def _line(row: Row, several: bool) -> _Line:
    label = f"{row.kind}, T {row.temperature:g}" if several else row.kind
    return _Line(label, row.speedup, f"{row.plain_per_second:.1f} → {row.per_second:.1f}", _percent(row.acceptance))


def _header(variant: str, lines: Sequence[_Line], columns: int) -> str:
    _, _, right = _cells(_Line(variant, Estimate(1.0, None, 0), "tokens/s", "accepted"), lines, columns, "95 %")
    room = columns - len(right)
    return f"{variant[: room - 1]:<{room}}{right}".rstrip()


def _shown(line: _Line, lines: Sequence[_Line], scale: float, columns: int) -> str:
    left, width, right = _cells(line, lines, columns, _interval(line.speedup))
    return (left + bar(line.speedup.value, scale, width) + right).rstrip()


def _cells(line: _Line, lines: Sequence[_Line], columns: int, interval: str) -> tuple[str, int, str]:
    """What stands left of the bar, how wide the bar is, and what stands right of it."""
    labels = min(max(len(each.label) for each in lines), columns // 2)
    left = f"{line.label[:labels]:<{labels}} {line.speedup.value:5.2f} × "
    right = ""
    if columns >= _ROOMY:
        right += f"  {interval:>11}"
    if columns >= _WIDE:
        right += f"  {line.speeds:>{max(8, *(len(each.speeds) for each in lines))}}"
    if columns >= _ROOMY and any(each.accepted for each in lines):
        right += f"  {line.accepted:>8}"
    return left, columns - len(left) - len(right), right


def bar(value: float, scale: float, width: int) -> str:
    """A bar as long as `value`, where `scale` fills the width, with a mark where 1 is."""
    eighths = round(8 * width * min(value, scale) / scale)
    full, rest = divmod(eighths, 8)
    cells = list(("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(width))
    one = min(width - 1, int(width / scale))
    cells[one] = "┃" if cells[one] == "█" else "│"
    return "".join(cells)


def _interval(estimate: Estimate) -> str:
    if estimate.interval is None:
        return counted(estimate.count, "pair")
    return f"{estimate.interval.low:.2f}–{estimate.interval.high:.2f}"


def _percents(shares: Sequence[float]) -> str:
    return " ".join(f"{share:.0%}" for share in shares)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"


def _notes(report: Report, subject: Subject, speeds: bool) -> list[str]:
    """What it takes to judge the numbers."""
    positions = [(each.variant, _percents(each.drafting.by_position)) for each in report.summaries]
    return [
        *_calibration(report.calibration),
        *(_spans(report.rows) if speeds else ()),
        *(f"{variant}: accepted by position: {shares}" for variant, shares in positions if shares),
        *_first_token(report.rows),
        *_short(report.rows),
        *_parted(report.rows, subject),
        *_looping(report.looping),
        f"{counted(len(report.pairings), 'pair')} in {report.seconds:.0f} s; {_ending(report)}",
    ]


def _calibration(noise: Estimate | None) -> Iterator[str]:
    if noise:
        yield f"plain against plain: {noise.value:.3f} × ({_interval(noise)}); a difference like this is noise"


def _spans(rows: Sequence[Row]) -> Iterator[str]:
    if rows:
        yield "× is of whole answers, what has to be read first included; tokens/s are those after the first token"


def _first_token(rows: Sequence[Row]) -> Iterator[str]:
    worst = max(rows, key=lambda row: row.first_token, default=None)
    if worst and worst.first_token > _LATE:
        yield f"the first token comes up to {worst.first_token:.2f} × as late ({worst.kind}, {worst.variant})"


def _short(rows: Sequence[Row]) -> Iterator[str]:
    longest = max((row.tokens for row in rows), default=0)
    short = {row.kind: row.tokens for row in rows if row.tokens < min(_SHORT, longest)}
    if short:
        names = ", ".join(f"{kind} ({tokens} tokens)" for kind, tokens in short.items())
        yield f"short answers, where it counts most what a draft has to read first: {names}"


def _parted(rows: Sequence[Row], subject: Subject) -> Iterator[str]:
    parted, total = sum(row.parted for row in rows), sum(row.speedup.count for row in rows)
    if parted:
        why = "rounding, or another model" if subject.same_text else "--verification rejection draws others"
        yield f"{parted} of {total} texts differ from the plain ones: {why}"


def _looping(looping: Sequence[tuple[str, str, float]]) -> Iterator[str]:
    if looping:
        names = ", ".join(f"{kind} at T {temperature:g} ({variant})" for variant, kind, temperature in looping)
        yield f"left out, since the answers repeat themselves: {names}"


def _ending(report: Report) -> str:
    if report.ending == "narrow" and report.looping:
        return "everything else is known to within 1.5 %"
    return _ENDINGS[report.ending]


def _wrapped(text: str, columns: int) -> str:
    return wrapped(text, columns, "  ")
