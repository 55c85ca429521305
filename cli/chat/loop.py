"""The chat: a line from the person, an answer from the model, and so on."""

from collections.abc import Callable
from dataclasses import dataclass, field

from specchat.speculative.errors import PromptTooLongError, ServerError

from ..display.screen import report
from ..failures import failure
from ..interruption import ignoring, raising
from .commands.commands import COMMANDS, KEYS
from .commands.completing import completions
from .commands.registry import command_in, line_of, message_in
from .dialogue import Dialogue
from .introduction import introduce
from .line.line import LineReader, open_line

PROMPT = ">>> "


@dataclass(slots=True)
class Chat:
    """Reads what a person types, and does it."""

    dialogue: Dialogue
    _line: LineReader = field(init=False)

    def __post_init__(self) -> None:
        env = self.dialogue.env
        self._line = open_line(env, completions(env), kept=self.dialogue.keeper.sessions is not None)

    def run(self, first: str | None = None, typed: str = "") -> None:
        """Answer `first`, of which so much was `typed`, and then what the person types until they leave."""
        self.dialogue.prompt("?")  # no template: say so before they type
        with ignoring():  # from now on there is a chat to lose
            try:
                if first is not None:
                    self._do(lambda: self.dialogue.answer(first, line_of(typed)))
                introduce(self.dialogue)
                self.dialogue.tell(KEYS)
                while not self.dialogue.leaving and (line := self._read()) is not None:
                    self._do(lambda line=line: self._obey(line))  # type: ignore[misc]
            finally:
                self.dialogue.close()

    def _obey(self, line: str) -> None:
        found = command_in(line, COMMANDS)
        if found:
            command, argument = found
            command.run(self.dialogue, argument)
        elif line.strip():
            self.dialogue.answer(message_in(line), line)

    def _do(self, action: Callable[[], None]) -> None:
        try:
            action()
        except (OSError, ServerError):
            raise  # there is nothing to chat on any more
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the chat goes on
            found = failure(error)
            report(self.dialogue.env, found.message, found.hint)

    def _refusal(self, text: str) -> str | None:
        """Why `text` cannot be sent: only that it is too long, for all else is told when it is tried."""
        dialogue = self.dialogue
        try:
            if text.strip() and not dialogue.drops_oldest and not command_in(text, COMMANDS):
                dialogue.fitting(message_in(text))
        except PromptTooLongError as error:
            return f"{error.message} {error.hint}"
        except Exception:  # noqa: BLE001
            return None
        return None

    def _read(self) -> str | None:
        """What the person types, "" for Ctrl-C, None when they leave with Ctrl-D."""
        env = self.dialogue.env
        typed, self.dialogue.unsent = self.dialogue.unsent, ""
        try:
            with raising():
                return self._line.read(PROMPT, self._refusal, typed)
        except EOFError:
            env.stderr.write("\n")
            return None
        except KeyboardInterrupt:
            env.stderr.write("\n")
            self.dialogue.tell(KEYS)
            return ""
