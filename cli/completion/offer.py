"""What a shell may put in the place of a word, before it is written as one shell wants to read it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """A word that may stand there, and in a line what it is."""

    text: str
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What a value may be: one of `words`, or a file with one of `endings` (without any, every file).

    Before a file stands `mark`. None as `endings` stands for no file.
    """

    words: tuple[Word, ...] = ()
    endings: tuple[str, ...] | None = None
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """What can come behind `head`, the start of the word at the cursor, that stays; so far there is `begun`."""

    head: str
    begun: str
    values: Values


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell: the script that it reads once, and the lines that the script reads of each offer.

    `lines` also takes the command line up to the cursor, and the variables of the process.
    """

    script: str
    lines: Callable[[Offer, str, Mapping[str, str]], Sequence[str]]
