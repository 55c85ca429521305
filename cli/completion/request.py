"""A shell asks what a command line can go on with, and gets an answer."""

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

from typer import Context

from ..environment import Environment
from ..execution import COMPLETE, guarded
from .offer import Offer, Values, Word

LINE = "_SPECCHAT_LINE"
"""The command line, up to the cursor."""


def complete_line(env: Environment) -> int:
    """Print what can come next, as the shell's script reads it; whatever goes wrong is nothing to print."""
    quiet = replace(env, stderr=StringIO())  # an error would break the line that a person is typing
    return guarded(lambda: _answer(quiet), quiet)


def _answer(env: Environment) -> int:
    from .shells import SHELLS

    line = env.variables.get(LINE, "")
    shell = SHELLS[env.variables[COMPLETE]]
    env.stdout.writelines(f"{each}\n" for each in shell.lines(_offered(env, line), line, env.variables))
    return 0


def _offered(env: Environment, line: str) -> Offer:
    """What the last word of the line can go on with. How words are read is Typer's business."""
    # its classes for shells are not: what they print is misread where a name has a colon, a space or a quote
    from typer._click.shell_completion import _resolve_context, _resolve_incomplete, split_arg_string
    from typer.main import get_command

    from ..app import COMMANDS, application
    from ..scripts.each_files import spread
    from ..words import option_places, options_with_value

    end = "\x04"  # so that the last word is there, though nothing be typed of it
    words = [word.removesuffix(end) for word in split_arg_string(line + end)][1:] or [""]
    named = [word for word in words[:-1] if word in COMMANDS][:1]
    app = application(named or COMMANDS)
    root = get_command(app)
    _take_as_typed(root, Context(root, **root.context_settings))
    *arguments, last = spread(words, option_places(words, options_with_value(app, words[0])))
    context = _resolve_context(root, {"obj": env}, "specchat", arguments)
    asked, begun = _resolve_incomplete(context, [*arguments], last)
    if asked is context.command:
        found = tuple(Word(item.value, _line(item.help)) for item in asked.shell_complete(context, begun))
        return Offer("", begun, Values(words=found))
    return _value(env, context, asked, last, begun)


def _take_as_typed(command: Any, context: Any) -> None:
    """Let no value be checked: it may not be whole yet, and that brings pydantic, which takes longer than the rest."""
    for parameter in command.get_params(context):
        parameter.process_value = lambda _, value: value
    for each in getattr(command, "commands", {}).values():
        _take_as_typed(each, Context(each, parent=context))


def _value(env: Environment, context: Any, parameter: Any, word: str, begun: str) -> Offer:
    """What the value of a parameter can be; the `word` may be an option, too, as in --model=VALUE."""
    from .values import offer_of

    option = word.removesuffix(begun) if begun else word
    several: Sequence[str] = context.params.get(parameter.name) or () if parameter.nargs == -1 else ()
    offer = offer_of(env, parameter, context.command_path.split()[1:], begun, several)
    return replace(offer, head=option + offer.head)


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
