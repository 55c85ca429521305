"""What the terminal can do."""

import re

from ..environment import Environment
from .rows import Row


def terminal_rows(env: Environment) -> list[Row]:
    """What output looks like here, and why."""
    return [_terminal(env), _colors(env), _letters(env)]


def _terminal(env: Environment) -> Row:
    if not env.stdout_is_terminal:
        return Row(name="terminal", value="none: this goes into a pipe or a file", figures={"columns": None})
    kind = env.variables.get("TERM", "")
    codes = "no escape codes: lines are not edited, nothing moves" if env.dumb else "escape codes"
    columns = env.columns()
    said = f"{columns} columns, {codes}{f' (TERM={kind})' if kind else ''}"
    return Row(name="terminal", value=said, figures={"columns": columns, "escape_codes": not env.dumb})


def _colors(env: Environment) -> Row:
    on = env.colors_on(env.stdout_is_terminal)
    why = "NO_COLOR is set" if env.variables.get("NO_COLOR") else "TERM is dumb" if env.dumb else "no terminal"
    return Row(name="colours", value="yes" if on else f"no: {why}", figures={"colours": on})


def _letters(env: Environment) -> Row:
    """The first of the variables that is set decides, as in every program."""
    name = next((name for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.variables.get(name)), "")
    locale = env.variables.get(name, "")
    utf8 = bool(re.search(r"utf-?8", locale, re.IGNORECASE))
    if utf8:
        return Row(name="letters", value=f"UTF-8, by {name}={locale}", figures={"utf8": True})
    why = f"{name}={locale} says otherwise" if name else "no variable says what the terminal takes"
    posix = "export LC_ALL=C.UTF-8" if env.stdout_is_terminal else ""
    return Row(name="letters", value=f"UTF-8 is written, though {why}", command=posix, figures={"utf8": False})
