"""The text of an answer on stdout, and nothing else."""

from dataclasses import dataclass

from .environment import Environment
from .screen import visible

_TINT, _DIM, _RESET = "\x1b[36m", "\x1b[2m", "\x1b[0m"


@dataclass(slots=True)
class AnswerWriter:
    """Writes text as it comes: raw into files and pipes, without anything that a terminal would obey onto a terminal.

    With `tint`, text of accepted draft tokens is coloured where colours are wanted.
    """

    env: Environment
    tint: bool = False
    _last: str = ""

    def write(self, text: str, from_draft: bool = False, dim: bool = False) -> None:
        """Show a piece of the answer at once; `dim` is what is not quite part of it."""
        self._last = text[-1:] or self._last
        if self.env.stdout_is_terminal:
            text = visible(text)
        style = _DIM if dim else _TINT if self.tint and from_draft else ""
        if style and self.env.colors_on(self.env.stdout_is_terminal):
            text = f"{style}{text}{_RESET}"
        self.env.stdout.write(text)
        self.env.stdout.flush()

    def finish(self) -> None:
        """End the last line."""
        if self._last not in ("", "\n"):
            self.env.stdout.write("\n")
        self._last = ""
        self.env.stdout.flush()
