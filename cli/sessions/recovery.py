"""A chat as its files tell it, whatever happened to the process that wrote them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..display.quantities import moment
from .disk import set_aside, write_all
from .errors import SessionError, unknown_session
from .lines import Drop, Entry, Turn, entry_line
from .names import is_name
from .partial import answer_in, goes_on
from .place import Place
from .reading import Reading, read
from .transcript import Transcript

INTERRUPTED = "interrupted"
"""Why an answer ended whose process did not live to its end."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the files of a session tell: its own, and `partial`, what is left of an answer that was not complete.

    `entries` keep that answer, if it is one that was interrupted.
    """

    place: Place
    reading: Reading
    partial: bytes
    entries: Sequence[Entry]

    @property
    def transcript(self) -> Transcript:
        """The chat, the interrupted answer included."""
        return self.reading.transcript

    def notice(self, fate: str) -> str:
        """Sentences about what is not as it was written, and the `fate` of what cannot be read; empty if all is."""
        name, sentences = self.place.name, []
        if self.reading.rest and self.reading.whole_but_the_end:
            sentences.append(f"The last line of {name} was not written to its end; it {fate}.")
        elif self.reading.rest:
            line = self.reading.damaged
            sentences.append(f"Line {line} of {name} is damaged; with all that comes after it, it {fate}.")
        if self.entries:
            sentences.append(
                "The last answer is not complete, but as it was shown; /continue in a chat goes on with it."
            )
        return " ".join(sentences)


def recover(place: Place) -> Recovered:
    """Read a session and change nothing.

    Raises `UsageError` when there is none of that name, `SessionError` when nothing of it can be read.
    """
    if not is_name(place.name):
        raise unknown_session(place.name)
    try:
        content = place.file.read_bytes()
    except FileNotFoundError as error:
        raise unknown_session(place.name) from error
    except OSError as error:
        raise SessionError(f"{place.file}: {error.strerror}.", "It has to be a file that you may read.") from error
    reading = read(place.name, content)
    partial, written_at = _left(place.partial)
    entries = _interrupted(reading, partial, written_at)
    for entry in entries:
        reading.transcript.apply(entry)
    return Recovered(place, reading, partial, entries)


def repair(handle: int, found: Recovered) -> None:
    """Let the session's file, which is open, say all that was found. Raises `OSError`; nothing is lost then."""
    reading = found.reading
    if reading.rest:
        lost = b"" if found.entries else found.partial
        set_aside(reading.rest + lost, found.place.damaged)
        os.ftruncate(handle, len(reading.good))
    if not reading.good.endswith(b"\n"):
        write_all(handle, b"\n")
    if found.entries:
        write_all(handle, b"".join(map(entry_line, found.entries)))
        os.fsync(handle)
    found.place.partial.unlink(missing_ok=True)


def _interrupted(reading: Reading, partial: bytes, written_at: float) -> Sequence[Entry]:
    """The answer that was shown before its process ended, if there is a question for it, or an answer that it goes on.

    An answer that is no longer than the one that was written is that one, or its beginning.
    """
    found, chat = answer_in(partial), reading.transcript
    if not ((found.content or found.reasoning) and reading.whole_but_the_end):
        return ()
    when = moment(written_at).astimezone().isoformat(timespec="seconds")
    if chat.unanswered:
        return (Turn(found, when, INTERRUPTED),)
    last = chat.last_answer
    if last is not None and goes_on(found, last):
        return (Drop(1), Turn(replace(found, reasoning=found.reasoning or last.reasoning), when, INTERRUPTED))
    return ()


def _left(path: Path) -> tuple[bytes, float]:
    """The content of a file and when it was written; nothing where there is none."""
    try:
        with path.open("rb") as file:
            return file.read(), os.fstat(file.fileno()).st_mtime
    except OSError:
        return b"", 0.0
