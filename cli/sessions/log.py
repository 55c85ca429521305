"""The chat that is going on, kept on the disk as it goes."""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from specchat.speculative.messages import Message

from .disk import write_all
from .errors import TakenError
from .lines import Drop, Entry, Header, Models, SystemPrompt, Turn, entry_line
from .names import check_name
from .opening import begin, reopen
from .partial import Partial
from .place import Place
from .recovery import recover, repair
from .transcript import Transcript


def local_time() -> datetime:
    """The time where we are, which knows how far it is from UTC."""
    return datetime.now(timezone.utc).astimezone()


@dataclass(slots=True)
class SessionLog:
    """A session that this process alone writes to, each thing when it happens.

    `notice` says what was not as it should be when it was opened. Where the disk refuses, `failed` says so from then on
    and nothing more is written, while the chat goes on: no `OSError` comes out of this.
    """

    place: Place
    transcript: Transcript
    clock: Callable[[], datetime] = local_time
    notice: str = ""
    failed: str = ""
    _handle: int | None = None
    _partial: Partial = field(init=False)

    def __post_init__(self) -> None:
        self._partial = Partial(self.place.partial)

    @classmethod
    def create(
        cls, folder: Path, name: str, header: Header, clock: Callable[[], datetime] = local_time
    ) -> "SessionLog":
        """Begin a session. Raises `TakenError`, and `UsageError` for a name that no file should have."""
        check_name(name)
        log = cls(Place(folder, name), Transcript.begun(header), clock)
        try:
            log._handle = begin(log.place, header)
        except OSError as error:
            if isinstance(error, FileExistsError) and log.place.file.exists():
                raise TakenError(f"There is a session called {name} already.", "Choose another name.") from error
            log._fail(error)
        log.set_system(header.system)  # that there is none, too: settings may name one by the next time
        return log

    @classmethod
    def open(cls, folder: Path, name: str, clock: Callable[[], datetime] = local_time) -> "SessionLog":
        """Go on with a session; what cannot be read is set aside, and an interrupted answer is an answer.

        Raises `UsageError` when there is none of that name or another process has it open, `SessionError` when nothing
        of it can be read.
        """
        place = Place(folder, name)
        handle, refused = reopen(place)
        try:
            found = recover(place)
            log = cls(place, found.transcript, clock, _handle=handle)
            if refused:
                log._fail(refused)
            log._attempt(lambda opened: repair(opened, found))
        except BaseException:
            if handle is not None:
                os.close(handle)
            raise
        log.notice = found.notice("is left out" if log.failed else f"is set aside in {place.damaged}")
        return log

    @property
    def name(self) -> str:
        """What the session is called."""
        return self.place.name

    @property
    def messages(self) -> list[Message]:
        """What a model is to be told: the system prompt, if there is one, and what was said and not taken back."""
        return self.transcript.messages

    def add(self, message: Message, *, finish_reason: str | None = None, seed: int | None = None) -> None:
        """Keep a message, for an answer with why it ended and with its seed."""
        self._keep(Turn(message, self._moment(), finish_reason, seed))
        self._partial_ends()

    def replace_answer(self, answer: Message, *, finish_reason: str | None = None, seed: int | None = None) -> None:
        """Keep an answer in the place of the last message, which is one: never neither of them."""
        self._keep(Drop(1), Turn(answer, self._moment(), finish_reason, seed))
        self._partial_ends()

    def show(self, text: str, is_reasoning: bool = False) -> None:
        """Keep a piece of an answer that is not complete, until it is added, or its question dropped.

        Where the last message is an answer, it is that one which goes on.
        """
        if text:
            self._attempt(lambda _: self._show(text, is_reasoning))

    def drop(self, count: int) -> None:
        """Take the last messages back, as many as there are of them; the system prompt stays."""
        count = min(count, len(self.transcript.turns))
        if count > 0:
            self._keep(Drop(count))
        self._partial_ends()

    def set_system(self, text: str | None) -> None:
        """Let a system prompt hold from here on, or none."""
        if text != self.transcript.system or not self.transcript.chose_system:
            self._keep(SystemPrompt(text))

    def set_models(self, models: Models) -> None:
        """Let the chat go on with these from here on."""
        if models != self.transcript.header.models:
            self._keep(models)

    def remove(self) -> None:
        """Remove its file, as far as that can be done; nothing more is to be written."""
        self._attempt(lambda _: self.place.file.unlink(missing_ok=True))

    def close(self) -> None:
        """Let other processes open it."""
        handle, self._handle = self._handle, None
        with suppress(OSError):  # network file systems tell the last errors here
            self._partial.close()
            if handle is not None:
                os.close(handle)

    def __enter__(self) -> "SessionLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _show(self, text: str, is_reasoning: bool) -> None:
        last = None if self._partial.is_open else self.transcript.last_answer
        if last:
            self._partial.write(last.reasoning, is_reasoning=True)
            self._partial.write(last.content)
        self._partial.write(text, is_reasoning)

    def _moment(self) -> str:
        return self.clock().isoformat(timespec="seconds")

    def _keep(self, *entries: Entry) -> None:
        for entry in entries:
            self.transcript.apply(entry)
        self._attempt(lambda handle: write_all(handle, b"".join(map(entry_line, entries))))

    def _partial_ends(self) -> None:
        """Remove what was shown, now that a line stands for it that no loss of power takes away."""

        def end(handle: int) -> None:
            if self._partial.is_open:
                os.fsync(handle)
                self._partial.remove()

        self._attempt(end)

    def _attempt(self, action: Callable[[int], None]) -> None:
        if self._handle is None or self.failed:
            return
        try:
            action(self._handle)
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        self.failed = f"From here on this chat is not kept: {self.place.file}: {error.strerror or error}."
