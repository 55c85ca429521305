"""The text of an answer on stdout, and nothing else."""

from dataclasses import dataclass

from .environment import Environment
from .markdown.style import Style
from .screen import visible, whole

_TINT, _UNDERLINE, _RESET = "36", "4", "\x1b[0m"


@dataclass(slots=True)
class AnswerWriter:
    """Writes text as it comes: raw into files and pipes, without anything that a terminal would obey onto a terminal.

    With `tint`, text of accepted draft tokens is coloured where colours are wanted; underlined where the text has
    colours of its own.
    """

    env: Environment
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
        code = self._code(from_draft, style)
        if code and text and self.env.colors_on(self.env.stdout_is_terminal):
            text = f"\x1b[{code}m{text}{_RESET}"
        self.env.stdout.write(text)
        self.env.stdout.flush()

    def _code(self, from_draft: bool, style: Style | None) -> str:
        tinted = self.tint and from_draft
        if style is None:
            return _TINT if tinted else ""
        return ";".join(filter(None, (style.sgr, _UNDERLINE if tinted else "")))

    def finish(self) -> None:
        """End the last line."""
        self.env.stdout.write(visible(self._held))
        if self._last not in ("", "\n"):
            self.env.stdout.write("\n")
        self._last = self._held = ""
        self.env.stdout.flush()
