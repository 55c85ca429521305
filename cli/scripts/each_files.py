"""The files of `--each`, and where the answers about them go."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from specchat.profiles.paths import expanded, is_file
from specchat.speculative.errors import UsageError

from ..display.screen import one_line
from .output_file import output_path

OPTION = "--each"
_FIELD = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class AskedFile:
    """A file to ask about, and the file for the answer; None for standard output."""

    name: str
    path: Path | None


def spread(arguments: Sequence[str], options: Sequence[int]) -> list[str]:
    """`arguments` with an `--each` for each of the words behind one; `options` are the places of options."""
    return list(_spread(arguments, frozenset(options)))


def _spread(arguments: Sequence[str], options: frozenset[int]) -> Iterator[str]:
    inside, taken = False, -1
    for place, word in enumerate(arguments):
        if place in options or word == "--":
            inside, taken = place in options and word == OPTION, place + 1
        elif inside and place > taken:
            yield OPTION
        yield word


def asked_files(names: Sequence[str], template: str | None, force: bool) -> list[AskedFile]:
    """The files with those for the answers, which `template` names. Raises `UsageError`; changes nothing."""
    files = [expanded(name) for name in names]
    for name, file in zip(names, files, strict=True):
        if not _exists(file):
            hint = 'The prompt stands before --each: specchat run "…" --each FILE…'
            raise UsageError(f"There is no file {one_line(name)}.", hint)
    if template is None:
        return [AskedFile(name, None) for name in names]
    sources = {file.resolve(): name for name, file in zip(names, files, strict=True)}
    taken: dict[Path, str] = {}
    asked = []
    for name, file in zip(names, files, strict=True):
        path = _destination(_filled(template, file), force)
        place = path.resolve()
        if place in sources:
            raise UsageError(
                f"The answer about {one_line(name)} would replace {one_line(sources[place])}.",
                "Name another place for the answers, as in -o 'answers/{name}'",
            )
        if place in taken:
            raise UsageError(
                f"The answers about {one_line(taken[place])} and {one_line(name)} would both go into {path}.",
                "{stem}, {name} and {suffix} in -o are those of the file, as in -o 'answers/{name}.md'",
            )
        taken[place] = name
        asked.append(AskedFile(name, path))
    return asked


def _destination(name: str, force: bool) -> Path:
    """Where an answer goes, or is already."""
    return expanded(name) if is_file(Path(name)) and not force else output_path(name)


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except PermissionError:
        return True  # that is for the file itself to say
    except OSError:
        return False


def _filled(template: str, file: Path) -> str:
    fields = {"stem": file.stem, "name": file.name, "suffix": file.suffix}

    def value(match: re.Match[str]) -> str:
        if match[1] not in fields:
            raise UsageError(f"-o: {match[0]} is not known.", "{stem}, {name} and {suffix} are those of each file.")
        return fields[match[1]]

    return _FIELD.sub(value, template)
