"""`specchat bench --verify`: how far passes over several tokens round away from passes over one."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from .bench_options import BenchOutputOptions
from .environment import Environment
from .status_line import StatusLine

if TYPE_CHECKING:
    from specchat.speculative.llama.exactness import Verified
    from specchat.speculative.llama.pair_config import PairConfig


def verify(env: Environment, config: "PairConfig", output: BenchOutputOptions) -> None:
    """Measure, unless an earlier run did, and show a table. Raises `NotExactError`, `ModelLoadError`, `Cancelled`."""
    line = StatusLine(env, shown=not output.quiet)
    try:
        found = env.measure_rounding(config, line.show)
    finally:
        line.clear()
    columns = env.columns() if env.stdout_is_terminal else 80
    text = verify_json(config, found) if output.json else verify_text(config.target.name, found, columns)
    env.stdout.write(text + "\n")
    env.stdout.flush()


def verify_json(config: "PairConfig", found: "Verified") -> str:
    """One line of JSON."""
    return json.dumps({"model": str(config.target), "notice": found.notice, **asdict(found.probe)}, ensure_ascii=False)


def verify_text(name: str, found: "Verified", columns: int) -> str:
    """The table, and what it means for drafting."""
    title = f"{name}: the largest difference of logits from those of passes over one token, on the same text"
    blocks = [title, *([found.notice] if found.notice else [])]
    wrapped = [textwrap.fill(block, columns, subsequent_indent="  ") for block in blocks]
    table = "\n".join(_table(found)) or "Nothing to measure: this model cannot take tokens back."
    return "\n\n".join([*wrapped, table, textwrap.fill(_meaning(found), columns)])


def _table(found: "Verified") -> Iterator[str]:
    """A row for each range of lengths with the same differences, which are a column a context."""
    roundings = found.probe.roundings
    if not roundings:
        return
    yield _row("tokens in a pass", [f"after {each.context:,}" for each in roundings])
    lengths = roundings[0].differences[1]
    rows = {length: [_shown(each.differences[1][length]) for each in roundings] for length in lengths}
    for name, values in _ranges(rows):
        yield _row(name, values)
    if found.probe.cuts:
        yield _row("prompt cut", list(map(_shown, found.probe.cuts)))


def _ranges(rows: Mapping[int, list[str]]) -> Iterator[tuple[str, list[str]]]:
    for values, lengths in groupby(rows, lambda length: rows[length]):
        first, *others = lengths
        yield f"{first}–{others[-1]}" if others else f"{first}", values


def _row(label: str, values: list[str]) -> str:
    return "".join([f"{label:<16}", *(f"{value:>12}" for value in values)])


def _shown(difference: float) -> str:
    return f"{difference:.2g}" if difference else "none"


def _meaning(found: "Verified") -> str:
    """What follows for texts."""
    if found.probe.worst == 0:
        return "Bit-exact as far as measured: nothing that is drafted can change a text."
    return (
        f"Exact up to rounding: where moving logits by {found.probe.worst:.2g} or less swaps two choices, a drafted "
        "text can go another way than the plain one. --exact looks for settings under which nothing differs."
    )
