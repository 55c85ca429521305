"""The hub's cache: `models--USER--REPO/snapshots/COMMIT/FILE`, links to `blobs/SUM`, as huggingface_hub lays it out.

Newer llama.cpp keeps its downloads in the same layout, in the same folder unless LLAMA_CACHE names another.
"""

import re
from collections.abc import Iterable, Iterator
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
    for snapshot in _snapshots(folder, survey):
        for files in models_among(survey.files_below(snapshot, _DEPTH)):
            blobs = tuple(shard.resolve() for shard in files.shards)
            name = f"{repo}/{files.shards[0].relative_to(snapshot).as_posix()}"
            if not files.missing and blobs not in listed:
                listed.add(blobs)
                yield _older(name, files, blobs) if name in named else _found(repo, name, files, blobs)
                named.add(name)
            elif files.missing and name not in named:
                remedy = f"specchat pull {name} fetches the rest."
                survey.notices.append(incomplete(name, survey.store, files.missing, remedy))


def _found(repo: str, name: str, files: ModelFiles, blobs: Iterable[Path]) -> Found:
    return Found(
        shards=files.shards,
        names=(*([f"{repo}:{files.quantisation}"] if files.quantisation else []), name),
        aliases=(repo,),
        quantisation=files.quantisation,
        sums=tuple(map(blob_sum, blobs)),
    )


def _older(name: str, files: ModelFiles, blobs: Iterable[Path]) -> Found:
    return Found(shards=files.shards, sums=tuple(map(blob_sum, blobs)), note=f"an older revision of {name}")


def _snapshots(folder: Path, survey: Survey) -> list[Path]:
    """The revisions of a repository that are here: what `main` is first, then the newest."""
    main = survey.text(folder / "refs" / "main").strip()
    snapshots = survey.folders(folder / "snapshots")
    return sorted(snapshots, key=lambda snapshot: (snapshot.name != main, -snapshot.stat().st_mtime))
