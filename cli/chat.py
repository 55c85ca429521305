"""The chat: a line from the person, an answer from the model, and so on."""

import re
from dataclasses import dataclass, field

from specchat.speculative.errors import PromptTooLongError
from specchat.speculative.messages import Message

from .failures import failure
from .interruption import ignoring, raising, stopping
from .line.completions import Completions
from .line.line import LineReader, open_line
from .screen import note, report
from .speaker import Speaker, check_length

PROMPT = ">>> "
_LEAVE = ("/exit", "/bye", "/quit")
_ASK = ("/help", "/?")
_COMMAND = re.compile(r"/[a-z?]+(?!\S)")
_COMPLETED = dict.fromkeys(_LEAVE, "leaves") | dict.fromkeys(_ASK, "says what the keys do")
_HELP = "Ctrl-D or /exit leaves; Ctrl-C stops an answer; pasted lines are one message."


@dataclass(slots=True)
class Chat:
    """Keeps the messages, which always alternate between user and assistant after the system's."""

    speaker: Speaker
    messages: list[Message] = field(default_factory=list)
    _line: LineReader = field(init=False)

    def __post_init__(self) -> None:
        self._line = open_line(self.speaker.env, Completions(commands=_COMPLETED))

    def run(self, first: str | None = None) -> None:
        """Answer `first`, and then what the person types until they leave."""
        self.speaker.pair.chat_tokens([*self.messages, Message("user", "?")])  # no template: say so before they type
        with ignoring():  # from now on there is a chat to lose
            if first is not None:
                self._answer_or_report(first)
            self._note(f"{self._models()}. {_HELP}")
            self._converse()

    def _models(self) -> str:
        """The target, and what guesses for it."""
        pair = self.speaker.pair
        return ", drafted by ".join([pair.target.name, *filter(None, [" and ".join(pair.drafted_by)])])

    def _converse(self) -> None:
        while (line := self._read()) is not None:
            command = None if "\n" in line else _COMMAND.match(line)  # pasted text commands nothing
            if command and command[0] in _LEAVE:
                return
            if command and command[0] in _ASK:
                self._note(_HELP)
            elif command:
                self._note(f"There is no command {command[0]}. {_HELP} Put a space in front to send it as it is.")
            elif line.strip():
                self._answer_or_report(line)

    def answer(self, text: str) -> None:
        """Answer `text` and remember both; if Ctrl-C comes before the first word, neither."""
        asked = [*self.messages, Message("user", text)]
        interrupt = self.speaker.pair.session.interrupt
        with stopping(interrupt):
            prompt = self.speaker.pair.chat_tokens(asked)
            finished = None if interrupt.requested else self.speaker.speak(prompt)
        if finished and (finished.text or finished.finish_reason not in ("cancelled", "error")):
            self.messages = [*asked, Message("assistant", finished.text)]
        elif not finished or not finished.error:
            self._note("Stopped; the message is taken back.")
        if finished and finished.error:
            raise finished.error

    def _answer_or_report(self, text: str) -> None:
        try:
            self.answer(text)
        except OSError:
            raise  # there is nothing to chat on any more
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the chat goes on
            found = failure(error)
            report(self.speaker.env, found.message, found.hint)

    def _refusal(self, text: str) -> str | None:
        """Why `text` cannot be sent: only that it is too long, for all else is told when it is tried."""
        if not text.strip() or ("\n" not in text and _COMMAND.match(text)):
            return None
        pair = self.speaker.pair
        try:
            check_length(pair, pair.chat_tokens([*self.messages, Message("user", text)]), self.speaker.limits)
        except PromptTooLongError as error:
            return f"{error.message} {error.hint}"
        except Exception:  # noqa: BLE001
            return None
        return None

    def _read(self) -> str | None:
        """What the person types, "" for Ctrl-C, None when they leave with Ctrl-D."""
        env = self.speaker.env
        try:
            with raising():
                return self._line.read(PROMPT, self._refusal)
        except EOFError:
            env.stderr.write("\n")
            return None
        except KeyboardInterrupt:
            env.stderr.write("\n")
            self._note(_HELP)
            return ""

    def _note(self, text: str) -> None:
        if not self.speaker.output.quiet:
            note(self.speaker.env, text)
