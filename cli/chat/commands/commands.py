"""All commands of a chat."""

from typing import TYPE_CHECKING

from .kept import load, save
from .registry import ChatCommand
from .setting import set_value
from .settings import draft, markdown, model, show, stats, think, tint
from .texts import copy, file, system
from .turns import clear, edit, go_on, regen, undo

if TYPE_CHECKING:
    from ..dialogue import Dialogue

KEYS = "Ctrl-D or /exit leaves; Ctrl-C stops an answer; /help has more."

_MORE = (
    "A message that starts with a slash is typed with two. Alt-Enter breaks a line, and what is pasted is one message; "
    "three quotation marks begin and end a long one. Ctrl-C stops an answer, Ctrl-D leaves."
)


def leave(chat: "Dialogue", _: str) -> None:
    """Leave the chat."""
    chat.leaving = True


def help_(chat: "Dialogue", _: str) -> None:
    """Show this list."""
    chat.tell_rows([(command.usage, command.help) for command in COMMANDS])
    chat.tell(_MORE)


COMMANDS = (
    ChatCommand(("help", "?"), "", "this list", help_),
    ChatCommand(("exit", "bye", "quit"), "", "leave", leave, lenient=True),
    ChatCommand(("regen", "again"), "", "another answer to the last question", regen),
    ChatCommand(("continue",), "", "go on with the last answer", go_on),
    ChatCommand(("undo",), "", "take the last question and its answer back", undo),
    ChatCommand(("edit",), "", "change the last question in an editor", edit),
    ChatCommand(("clear", "new"), "", "begin anew; the system prompt stays", clear),
    ChatCommand(("file",), "PATH… [-- TEXT]", "send files, and what you ask of them", file),
    ChatCommand(("system",), "[TEXT|@FILE|edit|none]", "show or set the system prompt", system),
    ChatCommand(("set",), "NAME VALUE", "change a setting: temp, ctx, seed, n, …", set_value),
    ChatCommand(("show",), "", "settings, and how full the context is", show),
    ChatCommand(("stats",), "", "all about the last answer", stats),
    ChatCommand(("draft",), "[off|on|auto|ngram|MODEL]", "what guesses", draft),
    ChatCommand(("model",), "[MODEL]", "another model goes on with the chat", model),
    ChatCommand(("think",), "[on|off|hide]", "show thoughts; whether to think, and show it", think),
    ChatCommand(("tint",), "", "colour what was guessed right", tint),
    ChatCommand(("markdown",), "", "show Markdown and code in colours", markdown),
    ChatCommand(("save",), "NAME", "keep the chat under a name of its own", save),
    ChatCommand(("load",), "NAME", "go on with a chat that was kept", load),
    ChatCommand(("copy",), "", "copy the last answer", copy),
)
