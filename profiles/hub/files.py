"""The files of a repository, as the hub lists them."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import FetchError

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

_COMMIT = re.compile(r"[0-9a-f]{40}")
_LICENCE = "license:"
_NO_HUB = "Is HF_ENDPOINT the address of a hub?"
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository at one commit, so that it cannot change under a download.

    `size` is in bytes. `sha256` is None for what is small enough to lie in git itself, which names it by `git_id`.
    `branch` is what led to the commit, and empty where the commit itself was asked for. `licence` is what the
    repository's card says, if it says one.
    """

    repo: str
    revision: str
    path: str
    size: int
    sha256: str | None
    git_id: str = ""
    branch: str = ""
    licence: str = ""

    @property
    def etag(self) -> str:
        """Its name among the blobs of the hub's cache: the checksum by which it is verified."""
        return self.sha256 or self.git_id

    def checksum(self) -> Any:
        """A new hash object that ends at `etag` once it has seen the whole file."""
        return hashlib.sha256() if self.sha256 else hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False)


def remote_files(info: "ModelInfo", branch: str) -> list[RemoteFile]:
    """The files that the hub's answer lists, in its order, without those whose path would leave its folder here.

    Raises `FetchError` for an answer that no hub would give: commits and checksums become paths on this machine.
    """
    if not is_safe(info.id) or not _COMMIT.fullmatch(info.sha or ""):
        raise FetchError(f"What came about {info.id} names no commit.", _NO_HUB)
    return [_remote_file(info, each, branch) for each in info.siblings or [] if is_safe(each.rfilename)]


def _remote_file(info: "ModelInfo", entry: "RepoSibling", branch: str) -> RemoteFile:
    commit, lfs, git_id = info.sha or "", entry.lfs, entry.blob_id or ""
    size = lfs.size if lfs else entry.size
    known = _SHA256.fullmatch(lfs.sha256) if lfs else _COMMIT.fullmatch(git_id)
    if not known or type(size) is not int or size < 0:
        raise FetchError(f"What came about {info.id} gives {entry.rfilename} no size or no checksum.", _NO_HUB)
    named = "" if branch == commit else branch
    sha256 = lfs.sha256 if lfs else None
    return RemoteFile(info.id, commit, entry.rfilename, size, sha256, git_id, named, _licence(info.tags or []))


def _licence(tags: Sequence[str]) -> str:
    return next((tag.removeprefix(_LICENCE) for tag in tags if tag.startswith(_LICENCE)), "")


def is_safe(path: str) -> bool:
    """Whether a path out of a repository stays in its folder, on any system."""
    return not any(part in ("", ".", "..") for part in path.split("/")) and not set(path) & set("\\:\0")
