"""Text for a terminal, and the messages that go to stderr."""

import textwrap
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from specchat.speculative.visible import visible as visible

from ..environment import Environment

_RED, _YELLOW, _DIM, _RESET = "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[0m"
_BEGINNING = 60


def whole(text: str) -> tuple[str, str]:
    """A piece of a text without a last character that may be half a line break, and that character."""
    return (text[:-1], text[-1]) if text.endswith("\r") else (text, "")


def one_line(text: str) -> str:
    """`text` with pictures in the place of line breaks and tabs too: a name that others gave a file."""
    return visible(text).replace("\n", "␊").replace("\t", "␉")


def beginning(text: str) -> str:
    """As much of the first line of a text as says which one it is; an ellipsis stands for the rest."""
    first, _, more = visible(text).strip().partition("\n")
    line = one_line(first)
    return line if len(line) <= _BEGINNING and not more else f"{line[: _BEGINNING - 1]}…"


def report(env: Environment, message: str, hint: str = "") -> None:
    """An error, with what to do about it."""
    _tell(env, "error", message, _RED)
    if hint:
        _tell(env, "hint", hint, _DIM)


def warn(env: Environment, message: str) -> None:
    """Something that is odd and does not stop anything."""
    _tell(env, "warning", message, _YELLOW)


def warn_once(env: Environment, message: str) -> None:
    """The same, of what comes up with each load: a process says it once."""
    if message not in env.told:
        env.told.add(message)
        warn(env, message)


def note(env: Environment, message: str) -> None:
    """Something worth knowing."""
    _tell(env, "", message, _DIM)


def _tell(env: Environment, label: str, message: str, style: str) -> None:
    """Write a message to stderr, on a terminal broken between words."""
    start = f"{label}: " if label else ""
    text = start + visible(message)
    if env.stderr_is_terminal:
        text = "\n".join(wrapped(line, env.columns()) for line in text.removesuffix("\n").split("\n"))
    if env.colors_on(env.stderr_is_terminal):
        styled = start.rstrip() or text
        text = f"{style}{styled}{_RESET}{text.removeprefix(styled)}"
    env.stderr.write(text + "\n")
    env.stderr.flush()


def wrapped(text: str, columns: int, indent: str = "") -> str:
    """`text` broken between words, its further lines after `indent`. What is to be typed or copied stays whole."""
    return textwrap.fill(text, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def width_of(text: str) -> int:
    """The columns of a terminal that a line takes: Chinese letters and most pictures take two, accents none."""
    wide = sum(east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(combining(letter) > 0 for letter in text)


def joined(items: Sequence[str], columns: int) -> str:
    """The items as lines of at most `columns`, broken between items only where possible."""
    lines = [""]
    for item in items:
        longer = f"{lines[-1]} · {item}" if lines[-1] else item
        if width_of(longer) <= columns or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(item)
    return "\n".join(lines)


def write_rows(env: Environment, rows: Sequence[tuple[str, str]]) -> None:
    """Names and what they are, one below the other; values are broken between words on a terminal."""
    width = max(len(name) for name, _ in rows)
    room = env.columns() - width - 2 if env.stdout_is_terminal else 1000
    for name, value in rows:
        first, *others = wrapped(visible(value), max(20, room)).split("\n")
        lines = [f"{name:<{width}}  {first}", *(" " * (width + 2) + line for line in others)]
        env.stdout.writelines(f"{line.rstrip()}\n" for line in lines)


def write_text(env: Environment, text: str) -> None:
    """Text that others wrote, on standard output: as it is, save that no terminal obeys it."""
    env.stdout.write(visible(text) if env.stdout_is_terminal else text)
    env.stdout.flush()


def agrees(env: Environment, question: str) -> bool:
    """Whether the person at the terminal says yes; the end of the input is a no."""
    try:
        answer = env.read_line(f"{question} [y/N] ")
    except EOFError:
        return False
    return answer.strip().lower() in ("y", "yes")
