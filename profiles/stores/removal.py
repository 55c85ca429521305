"""Removing a model from the hub's cache, and only what nothing else needs."""

import os
import shlex
from pathlib import Path

from specchat.speculative.errors import UsageError

from .hub_cache import PREFIX
from .stored import FOLDER, HUB, LM_STUDIO, OLLAMA, StoredModel


def check_removable(model: StoredModel) -> None:
    """Raise `UsageError` for a model that is another tool's to remove, with that tool's way to do so."""
    if model.store == HUB:
        return
    owner = "a folder of yours" if model.store == FOLDER else f"{model.store}'s store"
    raise UsageError(f"{model.name} lies in {owner}, where specchat removes nothing.", _remedy(model))


def _remedy(model: StoredModel) -> str:
    files = " ".join(shlex.quote(str(shard)) for shard in model.shards)
    if model.store == OLLAMA:
        name = "NAME, as ollama list shows it" if model.name == str(model.path) else model.name
        return f"Ollama does: ollama rm {name}"
    if model.store == LM_STUDIO:
        return f"LM Studio does, under My Models; its files: {files}"
    return f"Remove its files yourself: {files}"


def remove(model: StoredModel) -> int:
    """Remove a model of the hub's cache from all revisions that have it; returns the bytes that are free now.

    Raises `OSError` where a file cannot be removed; what is gone by then is gone.
    """
    repository = next(folder for folder in model.path.parents if folder.name.startswith(PREFIX))
    targets = {_target(shard, repository) for shard in model.shards}
    snapshots = repository / "snapshots"
    links = [file for file in _files_in(snapshots) if _target(file, repository) in targets]
    freed = sum(target.lstat().st_size for target in targets)
    for file in {*links, *targets}:
        file.unlink(missing_ok=True)
    _remove_empty(snapshots)
    if not snapshots.exists():
        _remove_rest(repository)
    return freed


def _target(file: Path, repository: Path) -> Path:
    """The blob that a link stands for; the file itself where it is none, or leads out of the repository."""
    real = file.resolve()
    return real if real.parent == (repository / "blobs").resolve() else file


def _files_in(folder: Path) -> list[Path]:
    return [Path(base, name) for base, _, names in os.walk(folder) for name in names]


def _remove_empty(folder: Path) -> None:
    """Remove the folders in `folder`, and it, that hold no file at any depth."""
    for base, _, _ in os.walk(folder, topdown=False):
        if not os.listdir(base) and not Path(base).is_symlink():  # noqa: PTH208 - a list is wanted
            Path(base).rmdir()


def _remove_rest(repository: Path) -> None:
    """Remove what is left of a repository without revisions, unless a download is still going on in it."""
    for name in ("refs", ".no_exist"):
        for file in _files_in(repository / name):
            file.unlink(missing_ok=True)
    _remove_empty(repository)
