"""`specchat bench --verify`: how far passes over several tokens round away from passes over one."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError

from ..display.json_text import written
from ..display.screen import visible, wrapped
from ..display.status_line import StatusLine
from ..environment import Environment
from .options import BenchOptions, BenchOutputOptions

if TYPE_CHECKING:
    from specchat.speculative.llama.exactness import Verified
    from specchat.speculative.llama.pair_config import PairConfig


def check_verifiable(what: BenchOptions, output: BenchOutputOptions) -> None:
    """Raise `UsageError` for options that only say how speed is measured."""
    speed = {
        "--file": what.files,
        "--kinds": what.kinds,
        "--set": what.prompt_set,
        "--against": what.against,
        "--fixed": what.fixed,
        "--temp": what.temperatures,
        "--full": what.full,
        "--seconds": what.seconds,
        "--tokens": what.tokens,
        "--plot": output.plot,
    }
    for option, given in speed.items():
        if given:
            raise UsageError(f"--verify measures no speed, so {option} means nothing.", "Leave one of the two out.")


def verify(env: Environment, config: "PairConfig", output: BenchOutputOptions) -> None:
    """Measure, unless an earlier run did, and show a table. Raises `NotExactError`, `ModelLoadError`, `Cancelled`."""
    line = StatusLine(env, shown=not output.quiet)
    try:
        found = env.verify_target(config, line.show)
    finally:
        line.clear()
    text = verify_json(config, found) if output.json else verify_text(visible(config.target.name), found, env.width)
    env.stdout.write(text + "\n")
    env.stdout.flush()


def verify_json(config: "PairConfig", found: "Verified") -> str:
    """One line of JSON."""
    return written({"model": str(config.target), "notice": found.notice, **asdict(found.probe)})


def verify_text(name: str, found: "Verified", columns: int) -> str:
    """The table, and what it means for drafting."""
    title = f"{name}: the largest difference of logits from those of passes over one token, on the same text"
    blocks = [title, *([found.notice] if found.notice else [])]
    titles = [wrapped(block, columns, "  ") for block in blocks]
    table = "\n".join(_table(found))
    meaning = [_meaning(found)]
    if found.probe.cuts:
        meaning.append("The last row is for the same prompt read in smaller pieces, which drafting never changes.")
    return "\n\n".join([*titles, table, *(wrapped(each, columns) for each in meaning)])


def _table(found: "Verified") -> Iterator[str]:
    """A row for each range of lengths with the same differences, which are a column a context."""
    roundings = found.probe.roundings
    if not roundings:
        return
    yield _row("tokens in a pass", [f"after {each.context:,}" for each in roundings])
    lengths = [length for length in roundings[0].differences[1] if length <= found.longest]
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
    worst = found.probe.worst(found.longest)
    if worst == 0 and not found.uncertain:
        return "Bit-exact as far as measured: nothing that is drafted can change a text."
    if worst == 0:
        return (
            "Exact up to rounding: what an expert of this model computes may depend on the other tokens in a pass, "
            "which no measurement covers. --exact takes kernels for which it does not."
        )
    return (
        f"Exact up to rounding: where moving logits by {worst:.2g} or less swaps two choices, a drafted text can go "
        "another way than the plain one. --exact looks for settings under which nothing differs."
    )
