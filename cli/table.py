"""Tables of models: a line each, or a few where the terminal is too narrow for that."""

from collections.abc import Sequence
from dataclasses import dataclass

from .screen import joined, one_line


@dataclass(frozen=True, slots=True)
class Entry:
    """A row: what it is called, its size, what else there is, and sentences that belong below it."""

    cells: Sequence[str]
    notes: Sequence[str] = ()


def table_lines(header: Sequence[str], entries: Sequence[Entry], columns: int | None) -> list[str]:
    """A table, or where that is wider than `columns`, several lines for each entry; nothing without entries."""
    if not entries:
        return []
    rows = [header, *([one_line(cell) for cell in entry.cells] for entry in entries)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(header))]
    fits = columns is None or sum(widths) + 2 * len(widths) - 2 <= columns
    lines = [_row(header, widths)] if fits else []
    for cells, entry in zip(rows[1:], entries, strict=True):
        lines += [_row(cells, widths)] if fits else _folded(cells, columns or 0)
        lines += [f"    {one_line(note)}" for note in entry.notes]
    return lines


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, size, *others = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join([name, f"{size.rstrip():>{widths[1]}}", *others]).rstrip()


def _folded(cells: Sequence[str], columns: int) -> list[str]:
    name, *others = cells
    details = joined([cell for cell in others if cell], columns - 4)
    return [name, *(f"    {line}" for line in details.splitlines())]
