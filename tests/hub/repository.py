"""What a stand-in hub serves: repositories of files, each commit with its own."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Content:
    """The bytes of one file; those of a `Path` are read when they are asked for, and may be many."""

    source: bytes | Path
    in_lfs: bool = True
    """Whether the hub keeps it beside git, as it does with all that is large."""

    @cached_property
    def size(self) -> int:
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    def read(self, offset: int, count: int) -> bytes:
        if isinstance(self.source, bytes):
            return self.source[offset : offset + count]
        with self.source.open("rb") as stream:
            stream.seek(offset)
            return stream.read(count)

    @cached_property
    def sha256(self) -> str:
        return self._digest(hashlib.sha256())

    @cached_property
    def git_id(self) -> str:
        """What git calls the file; of a large one git sees a pointer."""
        if self.in_lfs:
            return hashlib.sha1(f"pointer to {self.sha256}".encode()).hexdigest()
        return self._digest(hashlib.sha1(b"blob %d\0" % self.size))

    @property
    def etag(self) -> str:
        return self.sha256 if self.in_lfs else self.git_id

    def _digest(self, checksum: Any) -> str:
        for offset in range(0, self.size, _BLOCK):
            checksum.update(self.read(offset, _BLOCK))
        return str(checksum.hexdigest())


@dataclass
class Repository:
    """A model repository; `tokens` are those that may read it where it is gated or private."""

    name: str
    commits: dict[str, dict[str, Content]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    gated: bool = False
    private: bool = False
    tokens: frozenset[str] = frozenset()
    xet: bool = False
    """Whether the hub offers its files over the Xet protocol too."""
    licence: str = "apache-2.0"
    downloads: int = 0

    def commit(self, files: Mapping[str, Content], branch: str) -> str:
        """Make `files` the whole content of `branch`; returns the id of the commit."""
        made = hashlib.sha1(f"{self.name} {len(self.commits)}".encode()).hexdigest()
        self.commits[made] = dict(files)
        self.branches[branch] = made
        return made

    def resolve(self, revision: str) -> str | None:
        """The commit that `revision` (a branch or a commit) means."""
        commit = self.branches.get(revision, revision)
        return commit if commit in self.commits else None

    def info(self, commit: str, blobs: bool) -> dict[str, Any]:
        """What `/api/models/NAME` says."""
        return {
            "_id": "0" * 24,
            "id": self.name,
            "modelId": self.name,
            "author": self.name.split("/")[0],
            "sha": commit,
            "private": self.private,
            "gated": "auto" if self.gated else False,
            "disabled": False,
            "downloads": self.downloads,
            "likes": 0,
            "tags": ["gguf", f"license:{self.licence}"],
            "cardData": {"license": self.licence},
            "siblings": [self._sibling(path, content, blobs) for path, content in self.commits[commit].items()],
        }

    def tree(self, commit: str, folder: str, recursive: bool) -> list[dict[str, Any]]:
        """What `/api/models/NAME/tree/COMMIT/FOLDER` says."""
        start = f"{folder}/" if folder else ""
        inside = {path: content for path, content in self.commits[commit].items() if path.startswith(start)}
        folders = {start + path.removeprefix(start).split("/")[0] for path in inside if "/" in path.removeprefix(start)}
        entries = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": each} for each in sorted(folders)]
        shown = {path: content for path, content in inside.items() if recursive or "/" not in path.removeprefix(start)}
        return entries + [self.entry(path, content) for path, content in shown.items()]

    def entry(self, path: str, content: Content) -> dict[str, Any]:
        """A file as the tree names it."""
        entry: dict[str, Any] = {"type": "file", "oid": content.git_id, "size": content.size, "path": path}
        if content.in_lfs:
            entry["lfs"] = {"oid": content.sha256, "size": content.size, "pointerSize": 135}
        if self.xet:
            entry["xetHash"] = xet_hash(content)
        return entry

    def _sibling(self, path: str, content: Content, blobs: bool) -> dict[str, Any]:
        sibling: dict[str, Any] = {"rfilename": path}
        if blobs:
            sibling |= {"size": content.size, "blobId": content.git_id}
        if blobs and content.in_lfs:
            sibling["lfs"] = {"sha256": content.sha256, "size": content.size, "pointerSize": 135}
        return sibling


def xet_hash(content: Content) -> str:
    """A name as Xet gives it: another hash of the same bytes."""
    return hashlib.sha256(b"xet" + content.sha256.encode()).hexdigest()
