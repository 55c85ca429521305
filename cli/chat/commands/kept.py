"""Commands about the session that a chat is kept as."""

from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError

from ...sessions.store import sessions_of
from .. import resuming

if TYPE_CHECKING:
    from ..dialogue import Dialogue


def save(chat: "Dialogue", name: str) -> None:
    """Keep the chat under a name of its own, and go on in that session."""
    if not name:
        raise UsageError("The session has no name.", "Write one behind it: /save plans")
    resuming.save(chat, sessions_of(chat.env), name)
    chat.tell(f"Kept as {name}; specchat run --session {name} goes on with it.")


def load(chat: "Dialogue", name: str) -> None:
    """Go on with a session that was kept."""
    if not name:
        raise UsageError("No session is named.", "Write its name behind it; specchat session list shows all.")
    resuming.resume(chat, sessions_of(chat.env), name)
