"""A chat that is kept under a name of its own, or goes on with a session."""

from typing import TYPE_CHECKING

from ..display.quantities import counted
from ..display.screen import beginning
from ..sessions.log import SessionLog
from ..sessions.store import Sessions
from .commands.registry import line_of
from .conversation import Conversation
from .line.line import is_edited

if TYPE_CHECKING:
    from .dialogue import Dialogue

_MOST_TYPED = 2_000
"""Characters of a message that stands in the line unasked."""


def save(chat: "Dialogue", sessions: Sessions, name: str) -> None:
    """Keep all of it as a session called `name`, and go on in that. Raises `UsageError` where the name is taken."""
    log = SessionLog.create(sessions.folder, name, chat.header(), sessions.clock)
    for message in chat.conversation.turns:
        log.add(message)
    chat.keeper.another(name, log)


def resume(chat: "Dialogue", sessions: Sessions, name: str) -> None:
    """Go on with a session: with its system prompt, or without one where that was chosen. Raises what opening does."""
    if chat.keeper.log and chat.keeper.log.name == name:
        _tell_of(chat, name)
        return
    log = sessions.resume(name)
    if log.notice:
        chat.tell(log.notice)
    if log.transcript.unanswered:
        _take_back(chat, log.messages[-1].content)
        log.drop(1)
    chat.keeper.another(name, log)
    told = log.transcript
    system = told.system if told.chose_system else chat.conversation.system
    chat.take_up(Conversation(system, [turn.message for turn in told.turns]))
    if chat.env.stderr_is_terminal:
        _tell_of(chat, name)


def _take_back(chat: "Dialogue", message: str) -> None:
    """Tell of a message without an answer: its beginning where a line follows, in which it stands if it is not long."""
    line_follows = chat.chatting and is_edited(chat.env)
    if line_follows and len(message) <= _MOST_TYPED:
        chat.unsent = line_of(message)
    told = beginning(message) if line_follows else message
    chat.tell(f"This message was never answered, and is taken back: {told}")


def _tell_of(chat: "Dialogue", name: str) -> None:
    answer = chat.conversation.answer
    told = f" The last: {beginning(answer.content)}" if answer and answer.content else ""
    chat.tell(f"Going on with {name}, {counted(len(chat.conversation.turns) // 2, 'answer')} so far.{told}")
