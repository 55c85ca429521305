"""How many of many were answered, and what became of the others."""

from dataclasses import dataclass, field

from specchat.speculative.errors import SpecchatError

from ..display.notes import items_note
from ..display.screen import note
from ..environment import Environment


@dataclass(slots=True)
class Tally:
    """Counts, and says it at the end; `noun` is what is counted."""

    env: Environment
    noun: str
    shown: bool
    answered: int = 0
    skipped: int = 0
    failed: int = 0
    tokens: int = 0
    _last: SpecchatError | None = None
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.env.now()

    def count(self, error: SpecchatError | None) -> None:
        """Count an answer, or the error in its place, with what is to be said of it if it is the last."""
        self.answered += error is None
        self.failed += error is not None
        self._last = error or self._last

    def tell(self, *more: str) -> None:
        """Say how it went."""
        items = [f"{self.answered:,} answered"]
        items += [f"{self.failed:,} failed"] if self.failed else []
        items += [f"{self.skipped:,} done before"] if self.skipped else []
        seconds = self.env.now() - self._began
        if self.tokens and seconds > 0:
            items.append(f"{self.tokens:,} tokens in {seconds:.1f} s, {self.tokens / seconds:.1f} tokens/s")
        if self.shown:
            note(self.env, items_note(self.env, [*items, *more]))

    def conclude(self) -> None:
        """Raise an error of the kind of the last failure, if there was one."""
        if self._last is not None:
            total = self.answered + self.failed
            message = f"{self.failed:,} of {total:,} {self.noun} failed, the last was {self._last.message}"
            raise type(self._last)(message, self._last.hint)
