"""Commands about texts: a file into the chat, the system prompt, the last answer out of it."""

from base64 import b64encode
from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError

from ..input import read_file
from ..line.completions import path_argument

if TYPE_CHECKING:
    from ..dialogue import Dialogue

_MOST_COPIED = 74_994
"""Bytes that terminals take in one escape sequence, before base64."""


def file(chat: "Dialogue", argument: str) -> None:
    """Send a file as a message."""
    if not argument:
        raise UsageError("No file is named.", "Write its path behind it: /file notes.txt")
    chat.answer(read_file(chat.env, path_argument(argument)))


def system(chat: "Dialogue", argument: str) -> None:
    """Show the system prompt, or set it; `none` takes it away. A file is @FILE."""
    if not argument:
        chat.tell(chat.conversation.system or "There is no system prompt.")
        return
    text = read_file(chat.env, argument[1:]) if argument.startswith("@") else argument
    chat.set_system(None if argument == "none" else text)
    chat.tell("The model reads it with your next message.")


def copy(chat: "Dialogue", _: str) -> None:
    """Copy the last answer to the clipboard, through the terminal (OSC 52, which works over ssh too)."""
    answer = chat.conversation.answer
    if answer is None:
        raise UsageError("Nothing was said yet.", "Ask something first.")
    if not answer.content:
        raise UsageError("The last answer is empty.", "/continue goes on with it, /regen gives another.")
    data = answer.content.encode("utf-8", "replace")
    if len(data) > _MOST_COPIED:
        raise UsageError(f"The answer has {len(data):,} bytes, more than a terminal copies.", "Save it: /save NAME")
    chat.env.stderr.write(f"\x1b]52;c;{b64encode(data).decode()}\a")
    chat.tell("Copied, if this terminal lets programs copy.")
