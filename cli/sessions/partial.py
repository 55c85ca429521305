"""What was shown of an answer that is not complete, in a file of its own."""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from specchat.speculative.messages import Message
from specchat.speculative.reasoning.stream import AnswerStream
from specchat.speculative.reasoning.tags import Tags

from .disk import open_empty, write_all

_THOUGHTS = Tags("<think>", "</think>")
"""Around the reasoning of any model, which comes first."""


@dataclass(slots=True)
class Partial:
    """The file at `path`. It is there only while an answer comes, or after a process that did not live to its end."""

    path: Path
    _handle: int | None = None
    _thinks: bool = False

    @property
    def is_open(self) -> bool:
        """Whether something was written since it was last removed."""
        return self._handle is not None

    def write(self, text: str, is_reasoning: bool = False) -> None:
        """Add what was shown; reasoning in the midst of an answer is left out. Raises `OSError`."""
        if not text or (is_reasoning and self.is_open and not self._thinks):
            return
        if is_reasoning != self._thinks:
            text = f"{_THOUGHTS.opening}{text}" if is_reasoning else f"{_THOUGHTS.closing}{text}"
        if self._handle is None:
            self._handle = open_empty(self.path)
        write_all(self._handle, _encoded(text))
        self._thinks = is_reasoning

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
            handle, self._handle, self._thinks = self._handle, None, False
            os.close(handle)


def answer_in(content: bytes) -> Message:
    """The answer in such a file; a character that is cut at its end is left out."""
    stream = AnswerStream(_THOUGHTS.splitter(""))
    stream.push(content)
    stream.finish()
    return Message("assistant", stream.text, stream.reasoning)


def goes_on(found: Message, before: Message) -> bool:
    """Whether the answer `found` in such a file is another one and more of it."""
    if before.content or found.content:
        return _is_longer(found.content, before.content)
    return _is_longer(found.reasoning, before.reasoning)


def _is_longer(text: str, before: str) -> bool:
    start = _encoded(before).decode()
    return len(text) > len(start) and text.startswith(start)


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")
