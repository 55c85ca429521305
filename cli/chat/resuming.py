"""A chat that is kept under a name of its own, or goes on with a session."""

from typing import TYPE_CHECKING

from ..display.quantities import counted
from ..display.screen import beginning
from ..sessions.log import SessionLog
from ..sessions.store import Sessions
from .commands.registry import line_of
from .conversation import Conversation

if TYPE_CHECKING:
    from .dialogue import Dialogue


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
        unanswered = log.messages[-1].content
        chat.tell(f"This message was never answered, and is taken back: {unanswered}")
        chat.unsent = line_of(unanswered)
        log.drop(1)
    chat.keeper.another(name, log)
    told = log.transcript
    system = told.system if told.chose_system else chat.conversation.system
    chat.take_up(Conversation(system, [turn.message for turn in told.turns]))
    if chat.env.stderr_is_terminal:
        _tell_of(chat, name)


def _tell_of(chat: "Dialogue", name: str) -> None:
    answer = chat.conversation.answer
    told = f" The last: {beginning(answer.content)}" if answer and answer.content else ""
    chat.tell(f"Going on with {name}, {counted(len(chat.conversation.turns) // 2, 'answer')} so far.{told}")
