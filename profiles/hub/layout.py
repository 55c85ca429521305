"""Where the hub's own cache keeps what, so that every tool that knows it shares what we fetch."""

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from .files import RemoteFile, is_safe

_MARK = ".specchat.incomplete"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file belongs in the hub's cache: once by its checksum, and under its name as a link to that."""

    cache: Path
    file: RemoteFile

    @property
    def repository(self) -> Path:
        """The folder of the file's repository."""
        return self.cache / _folder(self.file.repo)

    @property
    def blob(self) -> Path:
        """The whole and verified file."""
        return self.repository / "blobs" / self.file.etag

    @property
    def pointer(self) -> Path:
        """Its name in the snapshot: what is loaded."""
        return self.repository / "snapshots" / self.file.revision / self.file.path

    @property
    def lock(self) -> Path:
        """The lock that huggingface_hub takes to write the blob."""
        return self.cache / ".locks" / self.repository.name / f"{self.file.etag}.lock"

    @property
    def partial(self) -> Path:
        """What has arrived so far.

        huggingface_hub gives each attempt a new name and so never goes on; this one stays, and its path keeps apart
        what a changed file of the same name left behind.
        """
        return self.blob.with_name(f"{self.file.etag}.{_short(self.file.path)}{_MARK}")

    @property
    def has_blob(self) -> bool:
        """Whether the blob is there. Only what is verified gets its name; the size tells what a crash has cut off."""
        return _size(self.blob) == self.file.size

    @property
    def has_pointer(self) -> bool:
        """Whether the file can be loaded."""
        return _size(self.pointer) == self.file.size

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it has to be fetched."""
        return self.has_pointer or self.has_blob

    @property
    def arrived(self) -> int:
        """Bytes that need not be fetched again."""
        size = self.file.size if self.is_whole else _size(self.partial)
        return size if 0 <= size <= self.file.size else 0

    @property
    def orphans(self) -> list[Path]:
        """What killed downloads left: huggingface_hub's of this very file, and ours of what it was before a change."""
        blobs = self.blob.parent
        theirs = set(blobs.glob(f"{self.file.etag}.*.incomplete")) | set(blobs.glob(f"{self.file.etag}.incomplete"))
        return [path for path in theirs if not path.name.endswith(_MARK)]

    @property
    def outdated(self) -> list[tuple[Path, Path]]:
        """What is left of downloads of an earlier file under this path, each with its lock."""
        mine = self.partial.name
        left = self.blob.parent.glob(f"*.{_short(self.file.path)}{_MARK}")
        return [(path, self.lock.with_name(f"{path.name.split('.')[0]}.lock")) for path in left if path.name != mine]

    def link(self) -> None:
        """Give the whole blob its name in the snapshot: a relative link, or the file where there can be none."""
        self.pointer.parent.mkdir(parents=True, exist_ok=True)
        self.pointer.unlink(missing_ok=True)
        try:
            self.pointer.symlink_to(os.path.relpath(self.blob, self.pointer.parent))
        except OSError:  # Windows wants a right for links; huggingface_hub then puts the file itself here, too
            shutil.move(self.blob, self.pointer)

    def name_branch(self) -> None:
        """Say which commit the branch is at, for those who ask for the branch without a network."""
        if not is_safe(self.file.branch):
            return
        reference = self.repository / "refs" / self.file.branch
        if reference.is_file() and reference.read_text(errors="replace") == self.file.revision:
            return  # the cache may be one that only others write to
        reference.parent.mkdir(parents=True, exist_ok=True)
        new = reference.with_name(f"{reference.name}.{os.getpid()}.tmp")
        new.write_text(self.file.revision)
        new.replace(reference)


def cached_file(cache: Path, repo: str, revision: str, path: str) -> Path | None:
    """The file as an earlier download left it, None where it is not in the hub's cache; asks no network."""
    folder = cache / _folder(repo)
    try:
        commit = (folder / "refs" / revision).read_text().strip()
    except (OSError, ValueError):
        commit = revision
    found = folder / "snapshots" / commit / path
    return found if found.is_file() else None


@dataclass(frozen=True, slots=True)
class CutOff:
    """What has arrived of a file of `repo`; `resumed` is whether the next download goes on from there."""

    repo: str
    path: Path
    size: int
    resumed: bool


def cut_off(cache: Path) -> list[CutOff]:
    """The downloads in the hub's cache that did not come to their end, or go on right now."""
    found = ((path, _size(path)) for path in sorted(cache.glob("models--*/blobs/*.incomplete")))
    return [CutOff(_repo(path), path, size, path.name.endswith(_MARK)) for path, size in found if size >= 0]


def _repo(blob: Path) -> str:
    return blob.parents[1].name.removeprefix("models--").replace("--", "/", 1)


def _folder(repo: str) -> str:
    return "--".join(["models", *repo.split("/")])


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _size(path: Path) -> int:
    """The size of a file in bytes, -1 where there is none."""
    try:
        return path.stat().st_size if path.is_file() else -1
    except OSError:
        return -1
