"""The command that changes a setting."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

from specchat.profiles.settings import NAMES, Settings
from specchat.profiles.variables import settings_of_texts
from specchat.speculative.errors import UsageError

from ...display.screen import one_line
from ...flags import IN_CHATS, SPELLED
from ...form import asked_form
from ...habits import seed_value
from ...request import chosen_limit, chosen_seed
from ...values import token_limit
from ..conversation import Conversation
from ..introduction import introduce

if TYPE_CHECKING:
    from ..dialogue import Dialogue

_ELSEWHERE = {**IN_CHATS, "system": "/system"}
_SHORT = {
    "ctx": "context",
    "temp": "temperature",
    "repeat_last_n": "penalty_last_n",
    "dev": "device",
    "devd": "draft_device",
    "ts": "tensor_split",
    "cmoe": "cpu_moe",
    "ncmoe": "cpu_moe",
    "n_cpu_moe": "cpu_moe",
}
_OF_ANSWERS = {"seed": "seed", "s": "seed", "n": "n", "n_predict": "n", "max_tokens": "n"}
"""What options say that no profile does, by all its names."""
_INTRODUCED = ("context", "gpu_layers", "draft_gpu_layers", "device", "draft_device", "rpc", "cpu_moe", "draft_length")
"""What is seen when the chat tells of its models again."""
_OLLAMA = "parameter "
"""Which Ollama wants in front."""
_ROOM = 512
"""Tokens for the next question and its answer."""
_HINT = "For example: /set temp 0.2. Tab behind /set lists all settings."


def setting_names() -> list[str]:
    """What can stand behind /set: the options without their dashes, and for short ones the names of the settings."""
    spelled = [(name, SPELLED[name]) for name in NAMES if name not in _ELSEWHERE]
    names = [option[2:] if option.startswith("--") else name for name, option in spelled]
    return [*names, *dict.fromkeys(_OF_ANSWERS.values())]


def set_value(chat: "Dialogue", argument: str) -> None:
    """Change a setting, as its option does; `ctx N` loads the model anew and keeps the chat."""
    word, _, value = argument.removeprefix(_OLLAMA).partition(" ")
    name, value = _setting(word), value.strip()
    if not value:
        raise UsageError(f"What shall {word or 'it'} be?", _HINT)
    match name:
        case "seed":
            seed = chosen_seed(_parsed(word, seed_value, value, "Give a number; -1 chooses one."))
            chat.who.set_seed(seed)
            chat.tell(f"{word} is {seed}, that of the next answer; those behind it follow from it.")
        case "n":
            limit = chosen_limit(_parsed(word, token_limit, value))
            chat.who.set_limit(limit)
            chat.tell("Answers have no limit." if limit is None else f"{word} is {limit}.")
        case "stop":
            _set_stop(chat, value)
        case "json_schema" | "grammar":
            chat.who.set_form(asked_form(chat.env, settings_of_texts({name: value}, {name: word})))
            chat.tell(f"{word} is {one_line(value)}.")
        case _:
            _set(chat, settings_of_texts({name: value}, {name: word}).settings, f"{word} is {value}.")


def _set(chat: "Dialogue", settings: Settings, told: str) -> None:
    if isinstance(settings.context, int):
        _check_context(chat, settings.context or chat.pair.target.n_ctx_train)
    chat.who.change(settings)
    if any(name in _INTRODUCED for name in settings.said()):
        introduce(chat)
    else:
        chat.tell(told)


def _check_context(chat: "Dialogue", n_ctx: int) -> None:
    """Raise `UsageError` where the chat so far, with a question of a word, leaves no room for an answer to that."""
    kept = Conversation(chat.conversation.system) if chat.drops_oldest else chat.conversation
    needed = len(chat.pair.chat_tokens(kept.asking("?")))
    if needed >= n_ctx:
        taken = f"the chat so far takes {needed:,} tokens with one more question"
        message = f"A context of {n_ctx:,} leaves no room for an answer: {taken}."
        raise UsageError(message, f"/set ctx {needed + _ROOM} has room; /undo and /clear make the chat shorter.")


def _set_stop(chat: "Dialogue", value: str) -> None:
    """A string that ends answers, in quotation marks or without; an empty one takes all away."""
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    stop = value[1:-1] if quoted else value
    chat.who.change(Settings(stop=(stop,) if stop else ()))
    chat.tell(f"{one_line(stop)} ends answers." if stop else "No string ends answers any more.")


def _parsed(word: str, parse: Callable[[str], int], value: str, hint: str = "") -> int:
    """What the option of this name takes. Raises `UsageError`."""
    try:
        return parse(value)
    except typer.BadParameter as error:
        message, _, advice = error.message.partition("\n")
        raise UsageError(f"{word}: {message}", hint or advice) from error


def _setting(word: str) -> str:
    """The setting that a word means: its name in a profile, or its option without the dashes."""
    if not word:
        raise UsageError("No setting is named.", _HINT)
    plain = word.lstrip("-").replace("-", "_")
    spelled = {option.lstrip("-").replace("-", "_"): name for name, option in SPELLED.items()}
    name = plain if plain in NAMES else _SHORT.get(plain) or spelled.get(plain) or _OF_ANSWERS.get(plain)
    if name is None:
        raise UsageError(f"There is no setting called {word}.", _HINT)
    if name in _ELSEWHERE:
        raise UsageError(f"{word} has a command of its own.", f"Type {_ELSEWHERE[name]}.")
    return name
