'''What `"""` means on the line: a message of several lines begins, and ends.'''

from dataclasses import dataclass

FENCE = '"""'


@dataclass(slots=True)
class Fence:
    """Follows what is typed. Only typed quotation marks count: a paste is sent as it is, whatever it begins with."""

    _opened: bool = False
    _closed: bool = False

    def typed(self, before: str) -> None:
        """A quotation mark was typed; `before` is the text up to and with it."""
        if before == FENCE:
            self._opened = True
        elif before.endswith(FENCE):
            self._closed = True

    def pasted(self, before: str) -> None:
        """Something was pasted after `before`."""
        self._closed = False
        if not before.startswith(FENCE):
            self._opened = False

    def is_open(self, text: str) -> bool:
        """Whether `text` is a message that goes on in the next line."""
        return self._fences(text) and not self._ends(text)

    def content(self, text: str) -> str:
        """The message that `text` stands for: without its quotation marks, and their line breaks."""
        if not self._fences(text) or not self._ends(text):
            return text
        return text.rstrip()[len(FENCE) : -len(FENCE)].removeprefix("\n").removesuffix("\n")

    def _fences(self, text: str) -> bool:
        return self._opened and text.startswith(FENCE)

    def _ends(self, text: str) -> bool:
        trimmed = text.rstrip()
        return self._closed and trimmed.endswith(FENCE) and len(trimmed) >= 2 * len(FENCE)
