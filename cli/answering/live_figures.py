"""The figures of an answer while it is given."""

from collections.abc import Callable
from dataclasses import dataclass

from specchat.speculative.rounds import Round


@dataclass(slots=True)
class LiveFigures:
    """Adds up rounds, of which the first has read the prompt; `clock` counts seconds."""

    clock: Callable[[], float]
    n_ctx: int
    _used: int = 0
    _tokens: int = 0
    _guessed: int = 0
    _kept: int = 0
    _started: float = 0.0
    _ended: float = 0.0
    _spent: float = 0.0
    _plain: float = 0.0
    _measured: bool = False

    def reads(self, prompt_tokens: int) -> None:
        """The prompt has so many tokens."""
        self._used = prompt_tokens

    def add(self, step: Round) -> None:
        """A round is over."""
        self._used += len(step.tokens)
        self._ended = self.clock()
        if not self._started:
            self._started = self._ended
            return
        self._tokens += len(step.tokens)
        self._guessed += step.draft.guessed
        self._kept += step.accepted
        self._spent += step.draft_seconds + step.target_seconds
        self._plain += step.seconds_undrafted()
        self._measured = self._measured or step.plain_seconds is not None

    def items(self) -> list[str]:
        """What is worth showing, the most telling first."""
        elapsed = self._ended - self._started  # the round that goes on has given nothing yet
        found = [f"{self._tokens / elapsed:.1f} tokens/s"] if self._tokens and elapsed > 0 else []
        if self._measured and self._spent > 0:
            found.append(f"{self._plain / self._spent:.2f} × plain")
        if self._guessed:
            found.append(f"{self._kept} of {self._guessed} guesses kept")
        return [*found, f"context {self._used:,} of {self.n_ctx:,}"]
