"""What to say about a command line that Typer cannot read."""

import difflib
import re
import shlex
from collections.abc import Sequence

import typer

from .app import COMMANDS, GROUPS
from .habits import CONTEXT_HINT, looks_like_model, no_model
from .options.models import MODEL_NAMES

_OF_A_MODEL = ("pull", "pair", "show", "verify", "rm")
"""The commands that are about models and not what they answer."""

_SAID = (
    (r"Got unexpected extra argument\(s\) \((\S*)\)", r"\1 is a word too many."),
    (r"Got unexpected extra argument\(s\) \((.*)\)", r"These words are too many: \1."),
    (r"Option '(.*)' requires an argument\.", r"\1 takes a value, which is missing."),
    (r"Option '(.*)' does not take a value\.", r"\1 takes no value."),
    (r"Missing command\.", r"The command is missing."),
    (r"No such command '(.*)'\. Did you mean '(.*)'\?", r"There is no command \1. Did you mean \2?"),
    (r"No such command '(.*)'\.", r"There is no command \1."),
)
"""How Typer says what it has no other word for than a sentence, and how it is said here."""


def usage_sentences(error: typer.TyperException, arguments: Sequence[str]) -> tuple[str, str]:
    """What is wrong, and what to do about it."""
    spelled = _option(error, arguments)
    message, _, hint = error.message.partition("\n")
    if spelled and not message:
        message = f"The {_metavar(error)} is missing."
    elif spelled:
        message = f"{spelled}: {message}"
    elif hasattr(error, "possibilities"):
        message = f"There is no option {getattr(error, 'option_name', '')}."
    else:
        message = _said(error.format_message())
    return message, hint or _hint(error, arguments)


def _said(message: str) -> str:
    """The same in our words."""
    for theirs, ours in _SAID:
        if found := re.fullmatch(theirs, message, re.DOTALL):
            return found.expand(ours)
    return message


def _option(error: typer.TyperException, arguments: Sequence[str]) -> str:
    """The option whose value is wrong, as it was typed."""
    parameter = getattr(error, "param", None)
    names: Sequence[str] = getattr(parameter, "opts", ())
    typed = {argument.partition("=")[0] for argument in arguments}
    return next((name for name in names if name in typed), names[-1] if names else "")


def _metavar(error: typer.TyperException) -> str:
    """What stands in the place of an argument in the help."""
    return str(getattr(getattr(error, "param", None), "metavar", "argument"))


def _hint(error: typer.TyperException, arguments: Sequence[str]) -> str:
    first = arguments[0] if arguments else ""
    option = getattr(error, "option_name", "")
    if first.startswith("-"):
        return f"Options follow a command: specchat run {shlex.join(arguments)}"
    if looks_like_model(first):
        return no_model(arguments, ()).hint
    if first not in COMMANDS:
        return f'To ask something: specchat run -m FILE "{" ".join(arguments)}"'
    if option == "-c":
        return CONTEXT_HINT
    if option in MODEL_NAMES and first in _OF_A_MODEL:
        return f"Leave {option} out: specchat {first} takes the model by itself."
    guess, dashes = "", ""
    if hasattr(error, "possibilities"):
        close = difflib.get_close_matches(option, error.possibilities or (), n=1, cutoff=0.75)
        guess = f"Did you mean {close[0]}? " if close else ""
        dashes = "; a prompt that starts with a dash goes behind --"
    lists = "commands" if first in GROUPS and "command" in error.message.lower() else "options"
    return f"{guess}specchat {_command(arguments, lists)} --help lists the {lists}{dashes}."


def _command(arguments: Sequence[str], lists: str) -> str:
    """The command whose help `lists` what could be typed: in a group, one of its own where options are wrong."""
    inside = arguments[0] in GROUPS and lists == "options" and not "".join(arguments[1:2]).startswith("-")
    return " ".join(arguments[: 2 if inside else 1])
