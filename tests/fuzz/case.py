"""A case: two models, settings, and the turns of a chat, of which parts can be left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..tiny import TinyModel

Kind = Literal["ask", "again", "go on"]
"""A new prompt, another answer to the last one, or more of the last answer."""
Ending = Literal["whole", "rounds", "looks", "dropped", "left"]
"""By itself; interrupted after a round, or at a look at the request, most of which are inside passes; or its events are
not read to the end, and thrown away or left lying about."""
Before = Literal["", "draft off", "draft on", "restart", "start over"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One generation. `back` tokens of the text are taken back, then its first `quote` and `tokens` are added.

    With a `message`, a chat of that alone is added, too. It ends at the `place`-th round, look or event as `ending`
    says; `sampling` holds from here on.
    """

    kind: Kind = "ask"
    back: int = 0
    quote: int = 0
    tokens: tuple[int, ...] = (1,)
    message: str = ""
    max_tokens: int | None = 20
    stop: tuple[str, ...] = ()
    ending: Ending = "whole"
    place: int = 0
    before: Before = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)


_PLAIN_TURN = {"back": 0, "quote": 0, "message": "", "stop": (), "ending": "whole", "before": "", "sampling": {}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is done. Options are named by what they belong to: `load.n_ctx`, `sampling.top_k`; see `setting_up`."""

    seed: int
    number: int
    target: TinyModel
    draft: TinyModel | Literal["ngram", "none"]
    options: Mapping[str, Any]
    turns: tuple[Turn | None, ...]
    left_out: tuple[str, ...] = ()

    def of(self, group: str) -> dict[str, Any]:
        """The options of a group, without its name."""
        return {name.partition(".")[2]: value for name, value in self.options.items() if name.startswith(f"{group}.")}

    def parts(self) -> Iterator[str]:
        """What could be left out, by name."""
        yield from (f"turn{place}" for place, turn in enumerate(self.turns) if turn is not None)
        if self.draft != "none":
            yield "draft"
        yield from self.options
        for place, turn in enumerate(self.turns):
            if turn is not None:
                yield from (
                    f"turn{place}.{name}" for name, value in _PLAIN_TURN.items() if getattr(turn, name) != value
                )

    def without(self, part: str) -> "Case":
        """The case without a part of it; places of turns stay what they are."""
        left_out = (*self.left_out, part)
        turn, _, name = part.partition(".")
        if turn.startswith("turn"):
            turns = list(self.turns)
            place = int(turn.removeprefix("turn"))
            turns[place] = replace(turns[place], **{name: _PLAIN_TURN[name]}) if name else None
            return replace(self, turns=tuple(turns), left_out=left_out)
        if part == "draft":
            return replace(self, draft="none" if self.draft == "ngram" else "ngram", left_out=left_out)
        options = {name: value for name, value in self.options.items() if name != part}
        return replace(self, options=options, left_out=left_out)

    def line(self) -> str:
        """What reproduces it."""
        leave_out = f" --without {','.join(self.left_out)}" if self.left_out else ""
        return f"python -m tests.fuzz --seed {self.seed} --case {self.number}{leave_out}"
