"""From the bytes of a session's file to the chat, as far as they can be read."""

from dataclasses import dataclass

from .errors import SessionError
from .lines import Damaged, Header, OtherFormat, parse_entry, parse_header
from .transcript import Transcript


@dataclass(frozen=True, slots=True)
class Reading:
    """A chat, as the `good` bytes of its file tell it. The `rest`, if there is one, starts with line `damaged`."""

    transcript: Transcript
    good: bytes
    rest: bytes = b""
    damaged: int = 0

    @property
    def whole_but_the_end(self) -> bool:
        """Whether no more than the last line cannot be read."""
        return b"\n" not in self.rest[:-1]


def read(name: str, content: bytes) -> Reading:
    """The chat in the file of the session called `name`. Raises `SessionError` where not even its header is one."""
    first, *others = _lines(content) or [b""]
    transcript = Transcript.begun(_header(name, first))
    end = len(first)
    for number, line in enumerate(others, 2):
        try:
            entry = parse_entry(line)
        except Damaged:
            return Reading(transcript, content[:end], content[end:], number)
        if entry is not None:
            transcript.apply(entry)
        end += len(line)
    return Reading(transcript, content)


def _lines(content: bytes) -> list[bytes]:
    """The lines with their ends; what else may be taken for the end of a line is text here."""
    *lines, rest = content.split(b"\n")
    return [*(line + b"\n" for line in lines), *filter(None, [rest])]


def _header(name: str, line: bytes) -> Header:
    try:
        return parse_header(line)
    except OtherFormat as error:
        message = f"{name} is a session of format {error}, which this version of specchat cannot read."
        raise SessionError(message, "Read it with the version that wrote it, or start a new chat.") from error
    except Damaged as error:
        message = f"{name} is damaged: its first line is not that of a session."
        raise SessionError(message, f"specchat session path {name} says where it is, to mend or remove it.") from error
