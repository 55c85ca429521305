"""Random chats against plain decoding in a new process.

    python -m tests.fuzz --minutes 30 [--seed S]
    python -m tests.fuzz --seed S --case K [--without PART,PART]

Prints a line that reproduces each case in which anything differs, hangs or dies, made as small as it goes; exit code 1
if there was one.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from time import monotonic

from .case import Case
from .drawing import draw
from .processes import Processes
from .trying import Trial

_LONGEST, _SHRINKING, _TELLING = 120.0, 120.0, 60.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, help="how long to go on")
    parser.add_argument("--cases", type=int, help="how many cases to try at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--case", type=int, help="try this one alone, and show it")
    parser.add_argument("--without", default="", help="parts of it that are left out")
    return parser.parse_args()


def _one(trial: Trial, arguments: argparse.Namespace) -> bool:
    case = draw(arguments.seed, arguments.case)
    for part in filter(None, arguments.without.split(",")):
        case = case.without(part)
    print(case.target, case.draft, dict(case.options), *case.turns, sep="\n")
    wrong = trial.of(case)
    print(wrong or "nothing is wrong")
    return wrong is None


def _numbers(arguments: argparse.Namespace) -> Iterator[int]:
    until = monotonic() + 60 * (arguments.minutes or 1e9)
    for number in count(arguments.first):
        if monotonic() > until or number - arguments.first == arguments.cases:
            return
        yield number


def _many(trial: Trial, arguments: argparse.Namespace) -> bool:
    found = tried = 0
    started = told = monotonic()
    for number in _numbers(arguments):
        case = draw(arguments.seed, number)
        wrong = trial.of(case)
        tried += 1
        if wrong is not None:
            found += 1
            _report(trial, case, wrong)
        if monotonic() - told > _TELLING:
            told = monotonic()
            print(_summary(tried, found, trial.counts, told - started), file=sys.stderr, flush=True)
    print(_summary(tried, found, trial.counts, monotonic() - started))
    return found == 0


def _report(trial: Trial, case: Case, wrong: str) -> None:
    print(f"{case.line()}\n    {wrong}", flush=True)
    counts = trial.counts.copy()
    if trial.of(case) is None:
        print("    not every time", flush=True)
        return
    smaller = trial.smaller(case, _SHRINKING)
    print(f"    smaller: {smaller.line()}\n    {trial.of(smaller)}", flush=True)
    trial.counts = counts


def _summary(tried: int, found: int, counts: Counter[str], seconds: float) -> str:
    figures = ", ".join(f"{name} {number}" for name, number in sorted(counts.items()))
    return f"{tried} cases in {seconds / 60:.1f} minutes, wrong {found}; {figures}"


def main() -> bool:
    """Whether nothing was wrong."""
    arguments = _arguments()
    with tempfile.TemporaryDirectory(prefix="specchat-fuzz-") as folder:
        trial = Trial(Processes(_LONGEST), Path(folder))
        try:
            return (_many if arguments.case is None else _one)(trial, arguments)
        finally:
            trial.close()


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
