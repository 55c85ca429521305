"""One line on the terminal that says what is going on, and goes away."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..environment import Environment
from .screen import one_line, width_of

_ERASE = "\r\x1b[K"


@dataclass(slots=True)
class StatusLine:
    """Shows the latest of its texts, on a terminal only."""

    env: Environment
    shown: bool = True
    delay: float = 0
    """Seconds before anything is shown, for what is often too quick to need words."""
    _visible: bool = False
    _since: float = -1

    def show(self, *items: str) -> None:
        """Replace the line; items that do not fit are left out, from the end."""
        if not self.shown or not self.env.stderr_is_terminal or self.env.dumb:
            return
        self._since = self.env.now() if self._since < 0 else self._since
        if self.env.now() - self._since < self.delay:
            return
        self._write(_ERASE + _fitting(items, self.env.columns() - 1))
        self._visible = True

    def clear(self) -> None:
        """Take the line away."""
        if self._visible:
            self._write(_ERASE)
        self._visible = False

    def _write(self, text: str) -> None:
        self.env.stderr.write(text)
        self.env.stderr.flush()


def _fitting(items: Sequence[str], columns: int) -> str:
    text, *others = map(one_line, items)
    while width_of(text) > columns:
        text = text[:-1]
    for item in others:
        if width_of(text) + 3 + width_of(item) > columns:
            break
        text += f" · {item}"
    return text
