"""Which words of a command line are options, and which are values of options or the prompt."""

from collections.abc import Collection, Sequence
from typing import Any

import typer


def option_places(arguments: Sequence[str], with_value: Collection[str]) -> list[int]:
    """The places of the options in `arguments`, up to a `--`; those in `with_value` take the word behind them."""
    places: list[int] = []
    place = 0
    while place < len(arguments) and arguments[place] != "--":
        word = arguments[place]
        if not word.startswith("-") or word == "-":
            place += 1
            continue
        places.append(place)
        place += 2 if _takes_the_next_word(word, with_value) else 1
    return places


def _takes_the_next_word(word: str, with_value: Collection[str]) -> bool:
    """Whether the value of an option is the word behind it; one-letter options may be run together, as in -qp TEXT."""
    if word in with_value or word.startswith("--"):
        return word in with_value
    *others, last = (f"-{letter}" for letter in word.removeprefix("-") or "-")
    return last in with_value and not any(option in with_value for option in others)


def options_with_value(app: typer.Typer, command: str) -> frozenset[str]:
    """The options of a command that take a value, in all their spellings; none for an unknown command."""
    commands: Any = getattr(typer.main.get_command(app), "commands", {})
    parameters = commands[command].params if command in commands else []
    return frozenset(
        name
        for parameter in parameters
        if parameter.param_type_name == "option" and not parameter.is_flag
        for name in parameter.opts
    )
