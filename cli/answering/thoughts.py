"""What a model thinks before it answers, on a terminal: dimmed above the answer, or folded into one line."""

from dataclasses import dataclass

from ..display.answer_writer import AnswerWriter
from ..display.screen import note
from ..display.status_line import StatusLine
from ..environment import Environment
from ..markdown.style import THOUGHT

_EVERY = 0.1
"""Seconds between two updates of the line."""
_BEGIN, _END = "Thinking …\n\n", "\n\n… done thinking."
"""Around thoughts that cannot be dimmed."""


@dataclass(slots=True)
class Thoughts:
    """Shows the reasoning of one answer. Standard output gets none of it, unless that is a terminal and it is `shown`.

    `writer` and `line` are those that the answer has; `noted` is whether a line stays of what was folded.
    """

    env: Environment
    writer: AnswerWriter
    line: StatusLine
    shown: bool
    noted: bool
    _going_on: bool = False
    _ended: bool = False
    """Whether there was an end before: gpt-oss can think again in the midst of an answer."""
    _tokens: int = 0
    _began: float = 0.0
    _told: float = 0.0

    def __post_init__(self) -> None:
        self.shown = self.shown and self.env.stdout_is_terminal

    def add(self, text: str) -> None:
        """There is more of it."""
        if self.shown:
            self.line.clear()
        if not self._going_on:
            self._began = self._told = self.env.now()
            self._going_on, self._tokens = True, 0
            self._write_plain(_BEGIN)
        if self.shown:
            self.writer.write(text, style=THOUGHT)

    def count(self, tokens: int) -> None:
        """So many tokens came in a round."""
        if not self._going_on:
            return
        self._tokens += tokens
        now = self.env.now()
        if not self.shown and now - self._told >= _EVERY:
            self._told = now
            self.line.show("thinking", f"{self._tokens:,} tokens", f"{now - self._began:.0f} s")

    def end(self) -> None:
        """The answer begins."""
        if not self._going_on:
            return
        self._going_on = False
        if self.shown:
            self._write_plain(_END)
            self.writer.write("" if self._ended else "\n\n")  # what comes between two messages is part of them
            self._ended = True
        else:
            self.line.clear()
            if self.noted and self.env.stderr_is_terminal:
                seconds = self.env.now() - self._began
                note(self.env, f"Thought for {seconds:.1f} s, {self._tokens:,} tokens.")

    def _write_plain(self, text: str) -> None:
        """Something around thoughts that are shown in the same colour as the answer."""
        if self.shown and not self.env.colors_on(self.env.stdout_is_terminal):
            self.writer.write(text)
