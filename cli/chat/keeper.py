"""A chat kept as a session while it goes on."""

from collections.abc import Callable
from dataclasses import dataclass

from specchat.speculative.events import TextChunk
from specchat.speculative.messages import Message

from ..sessions.lines import Header, Models
from ..sessions.log import SessionLog
from ..sessions.store import Sessions


@dataclass(slots=True)
class Keeper:
    """Writes down what is said; without `sessions` nothing is.

    A session begins with the first question, so that a chat in which nothing was said leaves no file. It is called
    `name`, or else after the time and the first words.
    """

    tell: Callable[[str], None]
    sessions: Sessions | None = None
    name: str | None = None
    log: SessionLog | None = None

    def asked(self, question: str, header: Header) -> None:
        """A question was asked; `header` is that of a session that begins with it.

        Raises `UsageError` for a name that is taken or that no file should have.
        """
        if self.sessions is None:
            return
        if self.log is None:
            self.log = self._begun(self.sessions, question, header)
        self.log.add(Message("user", question))
        self._complain()

    def show(self, piece: TextChunk) -> None:
        """A piece of the answer was shown, or of more of the last one."""
        if self.log:
            self.log.show(piece.text, piece.is_reasoning)

    def answered(self, answer: Message, finish_reason: str, seed: int) -> None:
        """The answer is complete."""
        if self.log:
            self.log.add(answer, finish_reason=finish_reason, seed=seed)
            self._complain()

    def answered_anew(self, answer: Message, finish_reason: str, seed: int) -> None:
        """Another answer is complete, or a longer one, which takes the place of the last."""
        if self.log:
            self.log.replace_answer(answer, finish_reason=finish_reason, seed=seed)
            self._complain()

    def drop(self, count: int) -> None:
        """The last messages were taken back."""
        if self.log:
            self.log.drop(count)
            self._complain()

    def system(self, text: str | None) -> None:
        """Another system prompt holds."""
        if self.log:
            self.log.set_system(text)

    def models(self, models: Models) -> None:
        """Other models hold."""
        if self.log:
            self.log.set_models(models)

    def another(self, name: str | None = None, log: SessionLog | None = None) -> None:
        """End the session; the next question begins another, called `name`, or goes on in `log`."""
        self.close()
        self.name, self.log = name, log

    def close(self) -> None:
        """Let other processes open it. One in which nothing was said that was not taken back is removed."""
        if self.log:
            if not self.log.transcript.turns:
                self.log.remove()
            self.log.close()
        self.log = None

    def _begun(self, sessions: Sessions, question: str, header: Header) -> SessionLog:
        if self.name is None:
            return sessions.begin(header, question)
        return SessionLog.create(sessions.folder, self.name, header, sessions.clock)

    def _complain(self) -> None:
        if self.log and self.log.failed:
            self.tell(self.log.failed)
            self.close()
            self.sessions = None
