"""Tables of models: a line each, or a few where the terminal is too narrow for that."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .screen import joined, one_line, width_of, wrapped

_INDENT = " " * 4


@dataclass(frozen=True, slots=True)
class Entry:
    """A row: what it is called, its size, what else there is, and sentences that belong below it."""

    cells: Sequence[str]
    notes: Sequence[str] = ()


def table_lines(
    header: Sequence[str], entries: Sequence[Entry], columns: int | None, named: Collection[str] = ()
) -> list[str]:
    """A table, or where that is wider than `columns`, several lines for each entry; nothing without entries.

    Those lines have no header. Cells that say little alone are `named`: the header's word comes before them.
    """
    if not entries:
        return []
    rows = [header, *([one_line(cell) for cell in entry.cells] for entry in entries)]
    widths = [max(width_of(row[place]) for row in rows) for place in range(len(header))]
    fits = columns is None or sum(widths) + 2 * len(widths) - 2 <= columns
    lines = [_row(header, widths)] if fits else [f"{header[0]}:"] if named else []
    for cells, entry in zip(rows[1:], entries, strict=True):
        lines += [_row(cells, widths)] if fits else _folded(header, cells, named, columns or 0)
        lines += [_indented(one_line(note), columns) for note in entry.notes]
    return lines


def _indented(text: str, columns: int | None) -> str:
    return wrapped(f"{_INDENT}{text}", columns, _INDENT) if columns else f"{_INDENT}{text}"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    gaps = [" " * (width - width_of(cell)) for cell, width in zip(cells, widths, strict=True)]
    name, _, *others = (cell + gap for cell, gap in zip(cells, gaps, strict=True))
    return "  ".join([name, gaps[1] + cells[1], *others]).rstrip()


def _folded(header: Sequence[str], cells: Sequence[str], named: Collection[str], columns: int) -> list[str]:
    name, *others = (f"{word} {cell}" if word in named else cell for word, cell in zip(header, cells, strict=True))
    details = joined([cell for cell in others if cell], columns - len(_INDENT))
    return [name, *(f"{_INDENT}{line}" for line in details.splitlines())]
