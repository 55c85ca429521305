"""What is kept on this machine: where, how much, and in which state."""

import os
from dataclasses import dataclass
from pathlib import Path

from specchat.profiles.hub.layout import CutOff, cut_off
from specchat.speculative.cache import Cache

from ..display.quantities import counted, day, file_size
from .rows import Row

KINDS = {
    "costs": "what passes of models cost",
    "fits": "how drafts fit their targets",
    "exactness": "exact settings of targets",
    "gains": "what drafting was measured to gain",
    "pairs": "which vocabularies agree",
    "offers": "drafts that were offered",
    "reminders": "what was mentioned today",
    "shapes": "what decides how much memory models take",
    "states": "prompts that were read",
    "rpc": "weights that other machines sent",
}
"""The folders of our cache."""
_BINARY = ("states", "rpc")


@dataclass(frozen=True, slots=True)
class Contents:
    """How many files a folder holds, and their bytes."""

    files: int = 0
    size: int = 0


def contents(folder: Path) -> Contents:
    """What is in `folder` and below it, links and files in the making aside; nothing where it cannot be read."""
    sizes = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            try:
                sizes += [] if path.is_symlink() or name.startswith(".") else [path.stat().st_size]
            except OSError:  # it went away meanwhile
                continue
    return Contents(len(sizes), sum(sizes))


def cache_rows(folder: Path | None) -> list[Row]:
    """Our own cache, and each kind of thing in it. All of it can be found out again."""
    if folder is None:
        return [Row(name="cache", value="nowhere: there is no home folder", advice="Name one in XDG_CACHE_HOME.")]
    if not folder.is_dir():
        return [Row(name="cache", value=f"{folder}, not there yet", figures={"path": str(folder)})]
    kinds = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    return [_whole(folder), *map(_kind, kinds)]


def _whole(folder: Path) -> Row:
    found, writable = contents(folder), os.access(folder, os.W_OK)
    return Row(
        name="cache",
        value=f"{folder}, {file_size(found.size)}{'' if writable else ', which cannot be written'}",
        command="" if writable else f'sudo chown -R "$USER" "{folder}"',
        wrong=not writable,
        figures={"path": str(folder), "bytes": found.size, "writable": writable},
    )


def _kind(folder: Path) -> Row:
    found = contents(folder)
    useless = 0 if folder.name in _BINARY else Cache(folder).useless()
    said = f"{KINDS.get(folder.name, 'something else')}: {counted(found.files, 'file')}, {file_size(found.size)}"
    old = f"; {useless} damaged or of another format, and made anew when needed" if useless else ""
    figures = {"path": str(folder), "files": found.files, "bytes": found.size, "useless": useless}
    return Row(name=f"  {folder.name}", value=said + old, figures=figures)


def kept_row(name: str, folder: Path | None) -> Row:
    """A folder of a person's own things."""
    if folder is None:
        return Row(name=name, value="nowhere: there is no home folder")
    found = contents(folder)
    said = f"{folder}, {counted(found.files, 'file')}, {file_size(found.size)}" if found.files else f"{folder}, empty"
    return Row(name=name, value=said, figures={"path": str(folder), "files": found.files, "bytes": found.size})


def hub_rows(cache: Path) -> list[Row]:
    """The hub's own cache, and the downloads in it that did not come to their end."""
    repositories = sorted(cache.glob("models--*"))
    size = sum(contents(each).size for each in repositories)
    number = f"{len(repositories)} {'repository' if len(repositories) == 1 else 'repositories'}"
    figures = {"path": str(cache), "repositories": len(repositories), "bytes": size}
    return [
        Row(name="hub's cache", value=f"{cache}, {number}, {file_size(size)}", figures=figures),
        *map(_download, cut_off(cache)),
    ]


def _download(left: CutOff) -> Row:
    try:
        grew = f", last on {day(left.path.stat().st_mtime)}"
    except OSError:
        grew = ""
    ours = f"{file_size(left.size)} of a file of {left.repo} came{grew}, and the rest did not"
    theirs = f"{file_size(left.size)} of a file of {left.repo} that another tool left and nobody goes on with"
    return Row(
        name="  cut off",
        value=ours if left.resumed else theirs,
        command=f"specchat pull {left.repo}  # with :QUANT as before" if left.resumed else f'rm "{left.path}"',
        figures={"path": str(left.path), "repository": left.repo, "bytes": left.size, "resumed": left.resumed},
    )
