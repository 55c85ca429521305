"""Turns out of a random number generator."""

from collections.abc import Mapping
from random import Random
from typing import Any

from ..tiny import TinyModel
from .case import Turn
from .drawing_sampling import LETTERS, draw_sampling

_BPE_MARKS = tuple(range(266, 274))
"""Control tokens, and the like: those of reasoning are the last two."""


def draw_turn(chance: Random, target: TinyModel, options: Mapping[str, Any]) -> Turn:
    """A turn of a chat with `target`, under the `options` of a case."""
    n_ctx, restarts = options.get("load.n_ctx", 1024), 30 if "states" in options else 6
    long = chance.random() < 0.25
    endings = ("whole", "rounds", "looks", "dropped", "left")
    ending = chance.choices(endings, (55, 12, 18, 10, 5))[0]
    place = chance.randrange(1, 1500) if ending == "looks" else chance.randrange(1, 12)
    changed = chance.random() < 0.1
    return Turn(
        kind=chance.choices(("ask", "again", "go on"), (60, 20, 20))[0],
        back=chance.choice((0, 0, 0, 1, 2, chance.randrange(60), 5000)),
        quote=chance.choice((0, 0, 0, chance.randrange(40))),
        tokens=_tokens(chance, target, min(n_ctx - 2, chance.randrange(1, 250 if long else 30))),
        max_tokens=chance.choice((1, 5, 20, 40, chance.randrange(1, 80), None if n_ctx < 200 else 100)),
        stop=tuple(chance.sample((*LETTERS, "th", "in", " a", "\n", "he"), 2)) if chance.random() < 0.25 else (),
        ending=ending,
        place=place,
        message=chance.choice(("", "", "", "on the inn", "the user in a tone")),
        before=chance.choices(("", "draft off", "draft on", "restart", "start over"), (70, 7, 11, restarts, 4))[0],
        sampling=draw_sampling(chance, target) if changed else {},
    )


def _tokens(chance: Random, target: TinyModel, count: int) -> tuple[int, ...]:
    """A prompt, mostly of few different tokens, so that it repeats itself; some end as a template's would."""
    alphabet = [chance.randrange(3, 259) for _ in range(chance.choice((3, 12, 200)))]
    found = [chance.choice(alphabet) for _ in range(count)]
    if target.tokenizer == "bpe" and chance.random() < 0.5:
        found.append(chance.choice(_BPE_MARKS[: 6 + len(target.control)]))
    return tuple(found)
