"""Questions before something is removed."""

from collections.abc import Iterable

from specchat.speculative.errors import UsageError

from ..display.screen import agrees, note
from ..environment import Environment


def agrees_to_remove(env: Environment, things: Iterable[str], question: str) -> bool:
    """Whether the person at the terminal, who is shown the things, says yes. Raises `UsageError` without a terminal."""
    if not (env.stdin_is_terminal and env.stderr_is_terminal):
        raise UsageError("There is no terminal to ask on before removing something.", "Leave the question out with -y.")
    for thing in things:
        note(env, thing)
    return agrees(env, question)
