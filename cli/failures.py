"""Every error as a sentence, a hint and an exit code."""

from collections.abc import Sequence
from dataclasses import dataclass

import typer

from specchat.speculative.errors import SpecchatError

from .exit_codes import FAILED, USAGE, exit_code
from .usage import usage_sentences


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, what to do about it, and the exit code if the command ends of it."""

    message: str
    hint: str
    code: int


def failure(error: Exception, arguments: Sequence[str] = ()) -> Failure:
    """What to say about `error`, which a command with these `arguments` met."""
    match error:
        case SpecchatError():
            return Failure(error.message, error.hint, exit_code(error))
        case typer.TyperException():
            return Failure(*usage_sentences(error, arguments), USAGE.code)
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return Failure(f"{where}{error.strerror or error}.", "--debug shows where.", FAILED.code)
        case MemoryError():
            return Failure("There is not enough memory.", "A smaller model or context (-c N) needs less.", FAILED.code)
        case _:
            hint = "--debug shows where; please report it."
            return Failure(f"specchat made a mistake: {error!r}.", hint, FAILED.code)
