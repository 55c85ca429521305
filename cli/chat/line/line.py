"""A message from a person: typed on a terminal that can be edited, or read as a plain line."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ...display.screen import visible
from ...environment import Environment
from .completions import Completions
from .fence import Fence
from .history import History

if TYPE_CHECKING:
    from prompt_toolkit.clipboard import Clipboard

CONTINUED = "... "
_SURROGATE = re.compile("[\ud800-\udfff]")


def accept(_text: str) -> str | None:
    """Refuse nothing."""
    return None


class LineReader(Protocol):
    """Asks a person for a message."""

    def read(self, prompt: str, refuse: Callable[[str], str | None] = accept, typed: str = "") -> str:
        """What the person types, where some of it counts as `typed` already.

        Raises `EOFError` at the end of the input and `KeyboardInterrupt` for Ctrl-C.
        """
        ...


def is_edited(env: Environment) -> bool:
    """Whether the line can be edited, so that something may stand in it at first."""
    on_dev_tty = sys.platform == "darwin" and not env.stdin_is_terminal  # event loops cannot wait for that there
    return env.edits_lines() and not on_dev_tty


def open_line(env: Environment, completions: Completions, *, kept: bool = True) -> LineReader:
    """The best line that the terminal allows. What is typed comes back in later chats if it is `kept`."""
    if not is_edited(env):
        return PlainLine(env)
    folder = env.data_folder
    return Line(env, completions, History(folder / "history" / "chat.jsonl" if folder else None, kept=kept))


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A line without any of that: for pipes, dumb terminals and tests."""

    env: Environment

    def read(self, prompt: str, refuse: Callable[[str], str | None] = accept, typed: str = "") -> str:
        """A line. Nothing is refused and nothing counts as typed, for nothing could stand in the line."""
        return self.env.read_line(prompt)


@dataclass(slots=True)
class Line:
    """A line that is edited with the keys of Emacs and readline, or of vi if readline has those, and can be several.

    Enter sends, Alt-Enter breaks the line, and so does Enter after a typed three quotation marks until three more.
    What is pasted waits for an Enter. Ctrl-C clears the line; on an empty one it raises.
    """

    env: Environment
    completions: Completions
    history: History
    clipboard: "Clipboard | None" = None
    """What Ctrl-Y brings back, also in a later message."""
    _said: list[str] | None = None

    def read(self, prompt: str, refuse: Callable[[str], str | None] = accept, typed: str = "") -> str:
        """What the person sends; it stays on the screen once. What counts as `typed` stands in the line at first.

        While `refuse` returns a sentence for a message, that is shown below it, and the message stays in the line.
        Raises `EOFError` for Ctrl-D on an empty line or a closed terminal, `KeyboardInterrupt` for Ctrl-C on an empty
        line; the cursor then stands behind the prompt.
        """
        from .session import session

        fence = Fence()
        if self._said is None:
            self._said = self.history.entries()
        try:
            started = session(self, prompt, fence, lambda text: refuse(_clean(text)))
            self.clipboard = started.clipboard
            sent = started.prompt(default=typed)
        except (EOFError, KeyboardInterrupt):
            self._show(prompt)
            raise
        self._show(prompt + visible(_clean(sent)).replace("\n", f"\n{CONTINUED}") + "\n")
        message = _clean(fence.content(sent))
        self._remember(message)
        return message

    @property
    def said(self) -> list[str]:
        """What Up brings back, the oldest first."""
        return self._said or []

    def _remember(self, message: str) -> None:
        if message.strip() and [message] != self.said[-1:]:
            self._said = [*self.said, message]
        self.history.add(message)

    def _show(self, text: str) -> None:
        self.env.stdout.write(text)
        self.env.stdout.flush()


def _clean(text: str) -> str:
    """`text` with a mark in the place of bytes that were no text."""
    return _SURROGATE.sub("\ufffd", text)
