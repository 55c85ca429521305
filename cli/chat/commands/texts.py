"""Commands about texts: a file into the chat, the system prompt, the last answer out of it."""

from base64 import b64encode
from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError

from ...display.screen import one_line
from ...input import read_file
from ..line.editor import edit_text
from .files import files_in

if TYPE_CHECKING:
    from ..dialogue import Dialogue

_MOST_COPIED = 74_994
"""Bytes that terminals take in one escape sequence, before base64."""


def file(chat: "Dialogue", argument: str) -> None:
    """Send files as a message, and what is asked of them behind `--`."""
    paths, question = files_in(argument)
    texts = [*(read_file(chat.env, path) for path in paths), question]
    if len(paths) > 1:
        chat.tell(f"{len(paths)} files: {', '.join(map(one_line, paths))}")
    chat.answer("\n\n".join(filter(None, texts)), f"/file {argument}")


def system(chat: "Dialogue", argument: str) -> None:
    """Show the system prompt, or set it: a text, @FILE, `none`, or with `edit` what an editor leaves of it."""
    before = chat.conversation.system or ""
    if not argument:
        chat.tell(before or "There is no system prompt.")
        return
    text = _system_text(chat, argument, before)
    if argument == "edit" and text == before:
        chat.tell("Nothing was changed.")
        return
    chat.set_system(text if text.strip() else None)
    chat.tell("The model reads it with your next message." if text.strip() else "There is no system prompt any more.")


def _system_text(chat: "Dialogue", argument: str, before: str) -> str:
    if argument == "edit":
        return edit_text(chat.env, before)
    if argument.startswith("@"):
        return read_file(chat.env, argument[1:])
    return "" if argument == "none" else argument


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
