"""The figures below an answer: as they were seen, and as they were."""

import json
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

FIGURES = re.compile(r"context ([\d,]+) of|([\d.]+) tokens/s|([\d,]+) of ([\d,]+) guesses")


@dataclass(frozen=True, slots=True)
class Update:
    """Figures as they were on the screen; what was not there is None."""

    speed: float | None
    context: int | None
    kept: int | None
    guessed: int | None


@dataclass(frozen=True, slots=True)
class Boundary:
    """The end of a round: when it was at the earliest and at the latest, and what was true then."""

    when: tuple[float, float]
    context: int
    kept: int
    guessed: int


def update_in(row: str) -> Update:
    """The figures in a row."""
    found: dict[str, Any] = dict.fromkeys(("speed", "context", "kept", "guessed"))
    for context, speed, kept, guessed in FIGURES.findall(row):
        if context:
            found["context"] = int(context.replace(",", ""))
        elif speed:
            found["speed"] = float(speed)
        else:
            found["kept"], found["guessed"] = (int(each.replace(",", "")) for each in (kept, guessed))
    return Update(**found)


def truth_in(file: Path) -> list[Boundary]:
    """What was true between each two rounds, as the model has it; the first has read the prompt."""
    passes = json.loads(file.read_text("utf-8"))
    prompt = passes[0][3]
    rounds = [each for each in passes if each[2] >= prompt]
    ended = passes[len(passes) - len(rounds) - 1][1]
    found = [Boundary((ended, rounds[0][0]), rounds[0][2] + 1, 0, 0)]
    for (_, ended, cached, length), (began, _, then_cached, _) in pairwise(rounds):
        last = found[-1]
        kept, guessed = last.kept + then_cached - cached - 1, last.guessed + length - 1
        found.append(Boundary((ended, began), then_cached + 1, kept, guessed))
    return found
