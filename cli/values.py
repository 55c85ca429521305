"""Option values, with errors that say what was typed; the second line of an error is its hint."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import typer

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Several(Generic[Item]):
    """Values separated by commas; Typer would take a tuple for as many arguments."""

    items: tuple[Item, ...]


def whole(least: int, hint: str = "") -> Callable[[str], int]:
    """A parser of whole numbers from `least` up."""
    advice = hint or f"Give a whole number from {least} up."

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a whole number.\n{advice}") from None
        if value < least:
            raise typer.BadParameter(f"{value} is too small.\n{advice}")
        return value

    return parse


def number(least: float = -math.inf, most: float = math.inf) -> Callable[[str], float]:
    """A parser of finite numbers from `least` to `most`."""
    bounds = f" from {least:g} to {most:g}" if most < math.inf else f" from {least:g} up" if least > -math.inf else ""
    advice = f"Give a number{bounds}."

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a number.\n{advice}") from None
        if not math.isfinite(value) or not least <= value <= most:
            raise typer.BadParameter(f"{text} is out of range.\n{advice}")
        return value

    return parse


def filled(what: str, but: Sequence[str] = ()) -> Callable[[str], str]:
    """A parser of texts that are not empty; `what` is such a text, and words `but` for which all are taken."""

    def parse(text: str) -> str:
        if not text:
            raise typer.BadParameter(f"The name is empty.\nGive {what}.")
        if text in but:
            raise typer.BadParameter(f"{text} names no model.\nGive {what}; a file of that name is ./{text}.")
        return text

    return parse


def one_of(*words: str) -> Callable[[str], str]:
    """A parser that takes one of the words."""

    def parse(text: str) -> str:
        if text not in words:
            raise typer.BadParameter(f"{text!r} is not known.\nGive one of: {', '.join(words)}.")
        return text

    return parse


def several(parse: Callable[[str], Item]) -> Callable[[str], Several[Item]]:
    """A parser of values with commas between them, each of which `parse` takes."""
    return lambda text: Several(tuple(parse(part.strip()) for part in text.split(",")))


def token_limit(text: str) -> int:
    """A number of tokens to generate, or -1 for no limit."""
    value = whole(-1, "Give 1 or more; -1 is no limit.")(text)
    if value == 0:
        raise typer.BadParameter("0 tokens is nothing to generate.\nGive 1 or more; -1 is no limit.")
    return value
