"""The hub's cache: `models--USER--REPO/snapshots/COMMIT/FILE`, links to `blobs/SUM`, as huggingface_hub lays it out.

Newer llama.cpp keeps its downloads in the same layout, in the same folder unless LLAMA_CACHE names another.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .model_files import ModelFiles, models_among
from .stored import Found, incomplete
from .survey import Survey

PREFIX = "models--"
_DEPTH = 4
_SUMS = {40: "git-sha1", 64: "sha256"}
"""What a blob is named by: its git hash where git keeps it, else the hash of its content."""


def hub_models(cache: Path, survey: Survey) -> list[Found]:
    """The models in the repositories of a cache."""
    repositories = [folder for folder in survey.folders(cache) if folder.name.startswith(PREFIX)]
    return [found for folder in repositories for found in _in_repository(folder, survey)]


def blob_sum(file: Path) -> str:
    """What a blob should hash to, by its name; nothing for a file that is no blob."""
    name = file.name.lower()
    algorithm = _SUMS.get(len(name)) if re.fullmatch("[0-9a-f]+", name) else None
    return f"{algorithm}:{name}" if algorithm else ""


def _in_repository(folder: Path, survey: Survey) -> Iterator[Found]:
    """The models of a repository, each by the newest revision that has it; different older ones have no name."""
    repo = folder.name.removeprefix(PREFIX).replace("--", "/")
    named: set[str] = set()
    listed: set[tuple[Path, ...]] = set()
    survey.entries(folder / "blobs")  # where it is closed there are no models, and that is noticed
    branches = _branches(folder, survey)
    for snapshot in _snapshots(folder, survey, branches):
        branch = branches.get(snapshot.name)
        for files in models_among(survey.files_below(snapshot, _DEPTH)):
            blobs = tuple(shard.resolve() for shard in files.shards)
            name = f"{repo}/{files.shards[0].relative_to(snapshot).as_posix()}"
            if files.missing and not branch and name not in named:
                remedy = f"specchat pull {name} fetches the rest."
                survey.notices.append(incomplete(name, survey.store, files.missing, remedy))
            if files.missing or blobs in listed:
                continue
            listed.add(blobs)
            if branch:  # a repository alone means its main branch
                yield _unnamed(f"of the branch {branch} of {repo}", files, blobs)
            elif name in named:
                yield _unnamed(f"an older revision of {name}", files, blobs)
            else:
                named.add(name)
                yield _found(repo, name, files, blobs)


def _found(repo: str, name: str, files: ModelFiles, blobs: Iterable[Path]) -> Found:
    return Found(
        shards=files.shards,
        names=(*([f"{repo}:{files.quantisation}"] if files.quantisation else []), name),
        aliases=(repo,),
        quantisation=files.quantisation,
        sums=tuple(map(blob_sum, blobs)),
    )


def _unnamed(note: str, files: ModelFiles, blobs: Iterable[Path]) -> Found:
    return Found(shards=files.shards, sums=tuple(map(blob_sum, blobs)), note=note)


def _snapshots(folder: Path, survey: Survey, branches: Mapping[str, str]) -> list[Path]:
    """The revisions of a repository that are here: what `main` is first, then the newest, other branches last."""
    main = survey.text(folder / "refs" / "main").strip()
    snapshots = survey.folders(folder / "snapshots")
    return sorted(snapshots, key=lambda each: (each.name != main, each.name in branches, -each.stat().st_mtime))


def _branches(folder: Path, survey: Survey) -> dict[str, str]:
    """The branches that are not `main`, by the commits that they are at and `main` is not."""
    references = folder / "refs"
    level, found = [references], dict[str, str]()
    for _ in range(_DEPTH):
        entries = [entry for each in level for entry in survey.entries(each)]
        found |= {survey.text(entry).strip(): entry.relative_to(references).as_posix() for entry in entries}
        level = entries
    found.pop(survey.text(references / "main").strip(), None)
    return found
