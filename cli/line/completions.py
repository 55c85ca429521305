"""What Tab can complete, found without any terminal."""

import os
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


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
    """What there is to complete: commands with a line on each, files after some of them, models after others."""

    commands: Mapping[str, str] = field(default_factory=dict)
    models: Callable[[], Sequence[str]] = tuple
    before_files: Sequence[str] = ("/file",)
    before_models: Sequence[str] = ("/model", "/draft")


def candidates(before: str, completions: Completions) -> list[Candidate]:
    """What `before`, the text before the cursor, can go on with."""
    command, space, rest = before.partition(" ")
    if not space:
        found = ((name, text) for name, text in completions.commands.items() if name.startswith(before))
        return [Candidate(name, len(before), name, text) for name, text in found]
    if command in completions.before_files:
        return _files(rest.lstrip(" "))
    if command in completions.before_models:
        begun = rest.lstrip(" ")
        return [Candidate(name, len(begun), name) for name in completions.models() if name.startswith(begun)]
    return []


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
    with suppress(ValueError, IndexError):
        return shlex.split(typed + quote)[0], quote
    return typed[1:], quote


def _quoted(path: str, quote: str) -> str:
    """`path` as one word; that of a folder stays open, so that typing goes on inside it."""
    if not quote and not set(path) & set(" '\"\\\t"):
        return path
    mark = quote if quote and quote not in path else '"' if "'" in path else "'"
    inner = path.replace("\\", "\\\\").replace('"', '\\"') if mark == '"' else path
    return f"{mark}{inner}" + ("" if path.endswith("/") else mark)
