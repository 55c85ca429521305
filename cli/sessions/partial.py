"""What was shown of an answer that is not complete, in a file of its own."""

import codecs
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .disk import open_empty, write_all


@dataclass(slots=True)
class Partial:
    """The file at `path`. It is there only while an answer comes, or after a process that did not live to its end."""

    path: Path
    _handle: int | None = None

    @property
    def is_open(self) -> bool:
        """Whether something was written since it was last removed."""
        return self._handle is not None

    def write(self, text: str) -> None:
        """Add what was shown. Raises `OSError`."""
        if not text:
            return
        if self._handle is None:
            self._handle = open_empty(self.path)
        write_all(self._handle, _encoded(text))

    def remove(self) -> None:
        """Forget it: the answer is complete, or taken back."""
        if self._handle is not None:
            with suppress(OSError):
                os.ftruncate(self._handle, 0)  # where the file cannot be removed, nobody takes it for the next answer
        self.close()
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close it and leave it there."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            os.close(handle)


def decoded(content: bytes) -> str:
    """The text of such a file; a character that is cut at its end is left out."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(content)


def goes_on(text: str, before: str) -> bool:
    """Whether the `text` of such a file is that of an answer and of more of it."""
    start = decoded(_encoded(before))
    return len(text) > len(start) and text.startswith(start)


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")
