"""Bytes that people pipe in or name, as text: what Windows and editors leave in files is put right."""

import codecs

from specchat.speculative.errors import UsageError

from .display.screen import warn
from .environment import Environment

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def decoded(env: Environment, data: bytes, name: str) -> str:
    """The text in `data`, which came from `name`: without BOM and carriage returns, and without its last line break.

    UTF-16 is recognised by its BOM. What is not valid is replaced, with a warning; a NUL raises `UsageError`.
    """
    mark, encoding = next((mark for mark in _MARKS if data.startswith(mark[0])), (b"", "utf-8"))
    body = data[len(mark) :]
    text = body.decode(encoding, "replace")
    if (nul := text.find("\0")) >= 0:
        raise UsageError(
            f"{name} is not text: there is a NUL at character {nul}.",
            "If it is UTF-16, save it as UTF-8: iconv -f UTF-16LE -t UTF-8",
        )
    try:
        body.decode(encoding)
    except UnicodeDecodeError as error:
        place = len(mark) + error.start
        warn(env, f"{name} is not valid {encoding.upper()} at byte {place}; what cannot be read is shown as \ufffd.")
    return text.replace("\r\n", "\n").removesuffix("\n")


def clean_argument(text: str) -> str:
    """An argument of the command line whose bytes may not have been valid text."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
