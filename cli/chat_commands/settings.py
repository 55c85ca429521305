"""Commands that change how the model answers, and those that show it."""

from typing import TYPE_CHECKING

from specchat.profiles.settings import NAMES, SAMPLING
from specchat.profiles.variables import settings_of_texts
from specchat.speculative.errors import UsageError

from ..flags import SPELLED
from ..screen import one_line
from ..statistics import statistics

if TYPE_CHECKING:
    from ..dialogue import Dialogue

_ELSEWHERE = {"target": "/model", "draft": "/draft", "system": "/system"}
_SHORT = {"ctx": "context", "temp": "temperature", "repeat_last_n": "penalty_last_n"}
_HINT = "For example: /set temp 0.2. /show has all settings."


def set_value(chat: "Dialogue", argument: str) -> None:
    """Change a setting, as its option does; `ctx N` loads the model anew and keeps the chat."""
    word, _, value = argument.partition(" ")
    name = _setting(word)
    if not value.strip():
        raise UsageError(f"What shall {word or 'it'} be?", _HINT)
    settings = settings_of_texts({name: value.strip()}, {name: word}).settings
    chat.who.change(settings)
    chat.tell(f"{word} is {value.strip()}.")


def _setting(word: str) -> str:
    """The setting that a word means: its name in a profile, or its option without the dashes."""
    if not word:
        raise UsageError("No setting is named.", _HINT)
    plain = word.lstrip("-").replace("-", "_")
    spelled = {option.lstrip("-").replace("-", "_"): name for name, option in SPELLED.items()}
    name = plain if plain in NAMES else _SHORT.get(plain) or spelled.get(plain)
    if name is None:
        raise UsageError(f"There is no setting called {word}.", _HINT)
    if name in _ELSEWHERE:
        raise UsageError(f"{word} has a command of its own.", f"Type {_ELSEWHERE[name]}.")
    return name


def show(chat: "Dialogue", _: str) -> None:
    """The models, the settings and how full the context is."""
    pair = chat.pair
    config, session = pair.config, pair.session
    rows = [
        ("model", pair.target.name),
        ("draft", " and ".join(pair.drafted_by) if chat.who.drafts else "off"),
        ("context", f"{chat.used:,} of {session.n_ctx:,} tokens"),
        ("system", chat.conversation.system or "none"),
        *((name, f"{getattr(pair.sampling, name):g}") for name in SAMPLING),
        ("draft_max", str(config.draft_max)),
        ("stop", ", ".join(map(repr, chat.limits.stop)) or "none"),
    ]
    chat.tell_rows([(name, one_line(value)) for name, value in rows])


def stats(chat: "Dialogue", _: str) -> None:
    """All that is known about the last answer."""
    if chat.last is None:
        raise UsageError("Nothing was said yet.", "Ask something first.")
    pair = chat.pair
    for item in statistics(chat.last.finished, pair.session.n_ctx, True, pair.exactness):
        chat.tell(item)


def tint(chat: "Dialogue", _: str) -> None:
    """Colour what was guessed right, or no more."""
    chat.tell("Guesses that were right are coloured." if chat.who.toggle_tint() else "Nothing is coloured.")


def markdown(chat: "Dialogue", _: str) -> None:
    """Show Markdown and code in colours, or no more."""
    chat.tell("Markdown is shown in colours." if chat.who.toggle_markdown() else "Markdown is shown plain.")


def model(chat: "Dialogue", argument: str) -> None:
    """Show the model, or go on with another one; the chat is kept."""
    if argument:
        chat.who.change_models(target=argument)
    chat.tell(f"{chat.pair.target.name} answers.")


def draft(chat: "Dialogue", argument: str) -> None:
    """Show what guesses, switch it off or on, or name another: a model, auto, ngram."""
    if argument == "off":
        chat.who.draft(False)
    elif argument == "on":
        chat.who.draft(True)
    elif argument:
        chat.who.change_models(draft=argument)
    drafted_by = chat.pair.drafted_by if chat.who.drafts else ()
    chat.tell(f"Drafted by {' and '.join(drafted_by)}." if drafted_by else "Nothing drafts: decoding is plain.")
