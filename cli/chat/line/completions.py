"""What Tab can complete, found without any terminal."""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

_WORD = re.compile(r"""(?:"(?:\\.|[^"\\])*"?|'[^']*'?|\\.?|[^\s'"\\])+""")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text that can stand in the place of the last `replaces` characters before the cursor.

    `shown` is what a menu calls it, and `help` says in a line what it is.
    """

    text: str
    replaces: int
    shown: str
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completions:
    """What there is to complete: commands with a line on each, `words` after some of them, files after others.

    Where both can stand, files are only those whose names have one of the endings in `before_files`.
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, Callable[[], Sequence[str]]] = field(default_factory=dict)
    before_files: Mapping[str, Sequence[str]] = field(default_factory=dict)


def candidates(before: str, completions: Completions) -> list[Candidate]:
    """What `before`, the text before the cursor, can go on with."""
    command, space, rest = before.partition(" ")
    if not space:
        commands = ((name, text) for name, text in completions.commands.items() if name.startswith(before))
        return [Candidate(name, len(before), name, text) for name, text in commands]
    begun = rest.lstrip(" ")
    words = completions.words.get(command, tuple)()
    found = [Candidate(word, len(begun), word) for word in words if word.startswith(begun)]
    endings = completions.before_files.get(command)
    if endings is None or (words and not begun):
        return found
    files = _files(begun) or _files(_last_word(begun))
    return [*found, *(file for file in files if file.shown.endswith((*endings, "/")))]


def shared_start(texts: Sequence[str]) -> str:
    """What all of `texts` begin with."""
    if not texts:
        return ""
    least, most = min(texts), max(texts)  # whatever lies between begins as both do
    same = next((place for place, (a, b) in enumerate(zip(least, most, strict=False)) if a != b), len(least))
    return least[:same]


def path_argument(text: str) -> str:
    """The path that a person means who typed `text` after a command: in quotation marks, with backslashes, or bare.

    What a shell would not read as one word is taken as it is: a bare name may have spaces and apostrophes.
    """
    text = text.strip()
    words: list[str] = []
    if os.sep == "/" or text[:1] in ("'", '"'):
        with suppress(ValueError):
            words = shlex.split(text)
    return words[0] if len(words) == 1 else text


def paths(begun: str) -> list[str]:
    """The files and folders, these with a slash, that `begun` is the start of; hidden ones where it has their dot."""
    folder, slash, start = begun.rpartition("/")
    where = os.path.expanduser(folder + slash) or "."  # noqa: PTH111 - a Path would drop what was typed
    return sorted(
        folder + slash + name
        for name in _names(Path(where))
        if name.startswith(start) and (start.startswith(".") or not name.startswith("."))
    )


def _files(typed: str) -> list[Candidate]:
    begun, quote = _begun(typed)
    folder = begun.rfind("/") + 1
    return [Candidate(_quoted(path, quote), len(typed), path[folder:]) for path in paths(begun)]


def _last_word(typed: str) -> str:
    """The word at the end of several, as a shell parts them; one that is begun in quotation marks may have spaces."""
    words = _WORD.findall(typed)
    return words[-1] if words and typed.endswith(words[-1]) else ""


def _names(folder: Path) -> Iterator[str]:
    """What lies in a folder, folders with a slash; nothing where it cannot be read. Odd names are left out."""
    with suppress(OSError), os.scandir(folder) as inside:
        for entry in inside:
            if entry.name.isprintable():  # no line breaks, no escape codes
                yield entry.name + ("/" if _is_folder(entry) else "")


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _begun(typed: str) -> tuple[str, str]:
    """The path that was begun, and the quotation mark that it was begun with."""
    quote = typed[:1] if typed[:1] in ("'", '"') else ""
    if not quote:
        return (typed.replace("\\ ", " ") if os.sep == "/" else typed), ""
    with suppress(ValueError):
        (word,) = shlex.split(typed + quote)
        return word, quote
    return typed[1:], quote


def _quoted(path: str, quote: str) -> str:
    """`path` as one word; that of a folder stays open, so that typing goes on inside it."""
    if not quote and not set(path) & set(" '\"\\\t"):
        return path
    mark = quote if quote and quote not in path else '"' if "'" in path else "'"
    inner = path.replace("\\", "\\\\").replace('"', '\\"') if mark == '"' else path
    return f"{mark}{inner}" + ("" if path.endswith("/") else mark)
