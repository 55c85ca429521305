"""Commands that show how the model answers, and those that change who does."""

from typing import TYPE_CHECKING

from specchat.profiles.settings import SAMPLING
from specchat.speculative.errors import UsageError
from specchat.speculative.sampling_params import SamplingParams

from ...answering.statistics import statistics
from ...display.screen import one_line
from ..introduction import draft_items_of, introduce, model_items, target_items
from ..line.completions import path_argument
from .setting import set_value

if TYPE_CHECKING:
    from ..dialogue import Dialogue


def show(chat: "Dialogue", _: str) -> None:
    """The models, the settings and how full the context is."""
    pair = chat.pair
    config, session = pair.config, pair.session
    rows = [
        ("model", " · ".join(model_items(pair))),
        ("draft", " · ".join(draft_items_of(chat)).removeprefix("drafted by ")),
        ("context", f"{chat.used:,} of {session.n_ctx:,} tokens{_unread(chat)}"),
        ("system", chat.conversation.system or "none"),
        *_sampling(pair.sampling),
        ("draft_max", str(config.draft_max)),
        *([("think", _thinking(chat))] if session.reasoning else []),
        *([("form", config.grammar.name)] if config.grammar else []),
        ("seed", f"{session.seed}{_own_seed(chat)}"),
        ("n", "no limit" if chat.limits.max_tokens is None else f"{chat.limits.max_tokens:,}"),
        ("stop", ", ".join(map(repr, chat.limits.stop)) or "none"),
    ]
    chat.tell_rows([(name, one_line(value)) for name, value in rows])


def _unread(chat: "Dialogue") -> str:
    return "" if chat.last or not chat.conversation.turns else "; the chat is counted with its next answer"


def _own_seed(chat: "Dialogue") -> str:
    """Each answer's own seed follows from that of the chat; it is the one that gives this answer again."""
    return f"; the last answer's own is {chat.last.finished.seed}" if chat.last else ""


def _sampling(params: SamplingParams) -> list[tuple[str, str]]:
    """The samplers that everybody uses, and of the others what was set."""
    usual, others = SamplingParams(), SAMPLING.index("typical_p")
    values = [(name, getattr(params, name)) for name in SAMPLING]
    changed = [(name, value) for name, value in values[others:] if value != getattr(usual, name)]
    return [(name, _spelled(value)) for name, value in [*values[:others], *changed]]


def _spelled(value: float | tuple[str, ...]) -> str:
    return ", ".join(map(repr, value)) or "none" if isinstance(value, tuple) else f"{value:g}"


def _thinking(chat: "Dialogue") -> str:
    if chat.speaker.folds:
        return "hide"
    return {None: "as the template has it", True: "on", False: "off"}[chat.pair.config.thinks]


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


def think(chat: "Dialogue", argument: str) -> None:
    """Show what was thought before the last answer, or say whether to think, and whether to show it."""
    if argument:
        set_value(chat, f"think {argument}")
        if chat.pair.session.reasoning is None:
            chat.tell(f"{chat.pair.target.name} is not known to reason; it answers at once.")
        return
    answer = chat.conversation.answer
    if answer is None or not answer.reasoning:
        raise UsageError("Nothing was thought before the last answer.", "/think on|off|hide says what shall be.")
    chat.tell(answer.reasoning)


def markdown(chat: "Dialogue", _: str) -> None:
    """Show Markdown and code in colours, or no more."""
    chat.tell("Markdown is shown in colours." if chat.who.toggle_markdown() else "Markdown is shown plain.")


def model(chat: "Dialogue", argument: str) -> None:
    """Show the model, or go on with another one; the chat is kept."""
    if argument:
        chat.change_models(target=path_argument(argument))
        introduce(chat)
    else:
        chat.tell_items(target_items(chat.pair))


def draft(chat: "Dialogue", argument: str) -> None:
    """Show what guesses, switch it off or on, or name another: a model, auto, ngram."""
    if argument in ("", "on", "off"):
        if argument:
            chat.who.draft(argument == "on")
        chat.tell_items(draft_items_of(chat))
    else:
        chat.change_models(draft=path_argument(argument))
        chat.who.draft(True)
        introduce(chat)
