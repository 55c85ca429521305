"""The text of an answer on stdout, and nothing else."""

from dataclasses import dataclass
from functools import partial

from ..environment import Environment
from ..markdown.style import Style
from .live_line import LiveLine
from .screen import visible, whole

_TINT, _UNDERLINE, _RESET = "36", "4", "\x1b[0m"


@dataclass(slots=True)
class AnswerWriter:
    """Writes text as it comes: raw into files and pipes, without anything that a terminal would obey onto a terminal.

    There it keeps the `live` line below it.

    With `tint`, text of accepted draft tokens is coloured where colours are wanted; underlined where the text has
    colours of its own.
    """

    env: Environment
    live: LiveLine
    tint: bool = False
    _last: str = ""
    _held: str = ""
    """The end of a piece that may be half a line break."""

    def write(self, text: str, from_draft: bool = False, style: Style | None = None) -> None:
        """Show a piece of the answer at once, in its style if it has any."""
        self._last = text[-1:] or self._last
        if self.env.stdout_is_terminal:
            text, self._held = whole(self._held + text)
            text = visible(text)
        code = self._code(from_draft, style) if self.env.colors_on(self.env.stdout_is_terminal) else ""
        self.live.around(text, partial(self._write, code=code))

    def _code(self, from_draft: bool, style: Style | None) -> str:
        tinted = self.tint and from_draft
        if style is None:
            return _TINT if tinted else ""
        return ";".join(filter(None, (style.sgr, _UNDERLINE if tinted else "")))

    def finish(self) -> None:
        """End the last line, below which there is no more to be seen."""
        if self._held:
            self.live.around(visible(self._held), self._write)
        self.live.end(partial(self._write, "" if self._last in ("", "\n") else "\n"))
        self._last = self._held = ""

    def _write(self, text: str, code: str = "") -> None:
        self.env.stdout.write(f"\x1b[{code}m{text}{_RESET}" if code and text else text)
        self.env.stdout.flush()
