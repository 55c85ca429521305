"""The hub's cache: `models--USER--REPO/snapshots/COMMIT/FILE`, links to `blobs/SUM`, as huggingface_hub lays it out.

Newer llama.cpp keeps its downloads in the same layout, in the same folder unless LLAMA_CACHE names another.
"""

import re
from collections.abc import Iterator
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
    return f"{algorithm}:{name}" if algorithm and file.parent.name == "blobs" else ""


def _in_repository(folder: Path, survey: Survey) -> Iterator[Found]:
    """The models of a repository, each by the newest revision that has it; different older ones have no name."""
    repo = folder.name.removeprefix(PREFIX).replace("--", "/")
    named: set[str] = set()
    listed: set[tuple[Path, ...]] = set()
    for snapshot in _snapshots(folder, survey):
        for files in models_among(survey.files_below(snapshot, _DEPTH)):
            blobs = tuple(shard.resolve() for shard in files.shards)
            inside = files.shards[0].relative_to(snapshot).as_posix()
            if blobs in listed or (files.missing and inside in named):
                continue
            if files.missing:
                remedy = f"specchat pull {repo}/{inside} fetches the rest."
                survey.notices.append(incomplete(f"{repo}/{inside}", survey.store, files.missing, remedy))
                continue
            listed.add(blobs)
            sums = tuple(blob_sum(blob) for blob in blobs)
            if inside in named:
                yield Found(shards=files.shards, sums=sums, note=f"an older revision of {repo}/{inside}")
            else:
                named.add(inside)
                yield Found(
                    shards=files.shards,
                    names=_names(repo, inside, files),
                    aliases=(repo,),
                    quantisation=files.quantisation,
                    sums=sums,
                )


def _snapshots(folder: Path, survey: Survey) -> list[Path]:
    """The revisions of a repository that are here: what `main` is first, then the newest."""
    main = survey.text(folder / "refs" / "main").strip()
    snapshots = survey.folders(folder / "snapshots")
    return sorted(snapshots, key=lambda snapshot: (snapshot.name != main, -snapshot.stat().st_mtime))


def _names(repo: str, inside: str, files: ModelFiles) -> tuple[str, ...]:
    short = (f"{repo}:{files.quantisation}",) if files.quantisation else ()
    return (*short, f"{repo}/{inside}")
