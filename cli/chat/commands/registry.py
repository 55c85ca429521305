"""The commands of a chat by their names, and which of them a line means."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError

if TYPE_CHECKING:
    from ..dialogue import Dialogue

_WORD = re.compile(r"/([A-Za-z?][\w?-]*)(?!\S)")
"""A slash and a word: `/etc/hosts` is none, nor is `//`."""


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """A command: what it is called, what may stand behind it, what it does in a line, and how.

    `run` takes the chat and what was typed behind the name, which only a `lenient` command ignores. It raises
    `SpecchatError` for what makes no sense.
    """

    names: Sequence[str]
    argument: str
    help: str
    run: Callable[["Dialogue", str], None]
    lenient: bool = False

    @property
    def usage(self) -> str:
        """How to type it."""
        return f"/{self.names[0]} {self.argument}".rstrip()


def command_in(line: str, commands: Sequence[ChatCommand]) -> tuple[ChatCommand, str] | None:
    """The command that a line is, and what stands behind its name; None for a message.

    Only a single line is one: what was pasted commands nothing. Raises `UsageError` for a word that is no command.
    """
    match = None if "\n" in line else _WORD.match(line)
    if match is None:
        return None
    by_name = {name: command for command in commands for name in command.names}
    command = by_name.get(match[1].lower())
    if command is None:
        close = get_close_matches(match[1].lower(), by_name, n=1)
        guess = f"Did you mean /{close[0]}? " if close else ""
        hint = f"{guess}/help lists all; /{match[0]} sends it as it is."
        raise UsageError(f"There is no command {match[0]}.", hint)
    argument = line[match.end() :].strip()
    if argument and not (command.argument or command.lenient):
        raise UsageError(f"{match[0]} takes nothing behind it.", f"/{match[0]} … sends it as it is.")
    return command, argument


def message_in(line: str) -> str:
    """What a line says that is no command: `//` stands for a slash at its start."""
    return line[1:] if line.startswith("//") else line


def line_of(message: str) -> str:
    """The line that says `message`."""
    return f"/{message}" if message.startswith("/") else message
