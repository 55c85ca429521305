"""The exit codes, in one table."""

from dataclasses import dataclass

from specchat.profiles.errors import AccessError, FetchError, ProfileError
from specchat.speculative.errors import (
    IncompleteError,
    ModelLoadError,
    PromptTooLongError,
    SpecchatError,
    UsageError,
    VocabularyMismatchError,
)


@dataclass(frozen=True, slots=True)
class ExitCode:
    """A code, what it means, and the errors that lead to it."""

    code: int
    meaning: str
    errors: tuple[type[Exception], ...] = ()


FINE = ExitCode(0, "fine")
FAILED = ExitCode(1, "an error while running", (SpecchatError,))
USAGE = ExitCode(2, "the command line makes no sense", (UsageError, ProfileError))

TABLE = (
    FINE,
    FAILED,
    USAGE,
    ExitCode(3, "a model is missing or unreadable", (ModelLoadError,)),
    ExitCode(4, "the hub gives no access: gated, private or missing, or a refused token", (AccessError,)),
    ExitCode(5, "a download failed: network, disk or checksum", (FetchError,)),
    ExitCode(6, "the draft that was named does not fit the target", (VocabularyMismatchError,)),
    ExitCode(7, "the prompt is longer than the context", (PromptTooLongError,)),
    ExitCode(8, "the answer is incomplete: cut before it met the schema or the grammar", (IncompleteError,)),
)


def exit_code(error: SpecchatError) -> int:
    """The code for an error: that of its own class, or of the nearest one it descends from."""
    codes = {kind: row.code for row in TABLE for kind in row.errors}
    return next(codes[kind] for kind in type(error).__mro__ if kind in codes)
