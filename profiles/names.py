"""What people type for a model, and what it means. One parser for the command line and for profiles."""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import SplitResult, parse_qs, quote, unquote, urlsplit

from .errors import ProfileError
from .paths import exists, expanded, is_file
from .sources import MAIN, WHEEL, HubModel, LocalFile, ModelSource, NamedModel, WheelFile

ENDING = ".gguf"
_HUB_HOSTS = ("huggingface.co", "www.huggingface.co", "hf.co")
_HOSTED = re.compile(rf"({'|'.join(map(re.escape, _HUB_HOSTS))})/", re.IGNORECASE)
_PLAINLY_A_PATH = re.compile(r"[/~]|\.{1,2}/|[A-Za-z]:/|.*\\", re.DOTALL)
_REPO_PART = re.compile(r"(?!.*(?:--|\.\.))\w(?:[\w.-]{0,94}\w)?", re.ASCII)
_TAG = re.compile(r"\w[\w.-]*", re.ASCII)
_BAD_SEGMENT = re.compile(r"|\.|\.\.|.*[\\\x00-\x1f\x7f].*", re.DOTALL)
_FILE_PAGES = ("blob", "resolve", "raw", "tree")
_FORMS = "Write USER/REPO, USER/REPO:Q4_K_M or USER/REPO/FILE.gguf."


def parse_model(text: str, folder: Path = Path(), mirror: str = "") -> ModelSource:
    """What `text` names: a file, a model of the hub, a file in a package, or else a name to look up.

    What exists on the disk is a file, whatever it looks like; relative paths start at `folder`, a leading `~` is the
    home folder. URLs may be of the hub or of `mirror`, the address that stands in for it.
    Raises `ProfileError` for a reference that cannot mean a model, `UsageError` for an unknown home folder.
    """
    if text.startswith(WHEEL):
        return _in_wheel(text)
    if "://" in text:
        return _at_url(text, mirror)
    if hosted := _HOSTED.match(text):
        return _on_hub(text, text[hosted.end() :])
    path = folder / expanded(text)
    if "/" in text or "\\" in text:
        return _with_slashes(text, path)
    # a word is no folder, even if there is one of that name: demo/ must not hide a profile
    return LocalFile(path) if is_gguf(text) or text.startswith("~") or is_file(path) else NamedModel(text)


def is_gguf(name: str) -> bool:
    """Whether a file is called as models are."""
    return name.lower().endswith(ENDING)


def _in_wheel(text: str) -> WheelFile:
    package, _, name = text.removeprefix(WHEEL).partition("/")
    if not package.isidentifier() or not name or ".." in Path(name).parts:
        raise ProfileError(f"{text} names no file in a package.", f"Write {WHEEL}PACKAGE/FILE.gguf.")
    return WheelFile(package, name)


def _with_slashes(text: str, path: Path) -> HubModel | LocalFile:
    if _PLAINLY_A_PATH.match(text) or exists(path):
        return LocalFile(path)
    if is_gguf(text) and exists(path.parent):  # what is missing from a folder that is there was meant to be in it
        return LocalFile(path)
    return _repository(text.rstrip("/").split("/")) or LocalFile(path)


def _at_url(text: str, mirror: str) -> HubModel:
    url, standing_in = _split(text), _split(mirror)
    known = [*_HUB_HOSTS, *([standing_in.netloc.lower()] if mirror else [])]
    if url.scheme.lower() not in ("http", "https") or url.netloc.lower() not in known:
        raise ProfileError(
            f"{text} is not a URL of the hub, huggingface.co.",
            "Download the file yourself and name it with its path.",
        )
    path = url.path.removeprefix(standing_in.path.rstrip("/"))
    shown = parse_qs(url.query).get("show_file_info")  # the page of a repository with the header of one file on top
    return _on_hub(text, f"{path.rstrip('/')}/{quote(shown[0])}" if shown else path)


def _split(text: str) -> SplitResult:
    try:
        return urlsplit(text)
    except ValueError as error:
        raise ProfileError(f"{text} is not a URL.", _FORMS) from error


def _on_hub(text: str, path: str) -> HubModel:
    """The model at a path of the hub's site."""
    segments = [unquote(segment) for segment in path.strip("/").split("/")]
    if segments[0] in ("datasets", "spaces", "api"):
        raise ProfileError(f"{text} is not the page of a model.", _FORMS)
    found = _repository(segments, hosted=True)
    if found is None:
        raise ProfileError(f"{text} names neither a repository of the hub nor a {ENDING} file in one.", _FORMS)
    return found


def _repository(segments: Sequence[str], *, hosted: bool = False) -> HubModel | None:
    """The model that the parts of a path mean, None if they mean none.

    Only behind a host's name may a repository be called like a file, or like what git clones.
    """
    if len(segments) < 2 or any(_BAD_SEGMENT.fullmatch(part) for each in segments for part in each.split("/")):
        return None
    user, named, *rest = segments
    name, colon, tag = named.partition(":")
    name = name.removesuffix(".git") if hosted else name
    if not _REPO_PART.fullmatch(user) or not _REPO_PART.fullmatch(name):
        return None
    repo = f"{user}/{name}"
    if colon:
        return _tagged(repo, tag) if not rest and _TAG.fullmatch(tag) else None
    match rest:
        case []:
            return None if is_gguf(name) and not hosted else HubModel(repo)
        case ["tree", revision]:
            return HubModel(repo, revision)
        case [page, revision, *inside] if page in _FILE_PAGES:
            return _file(repo, revision, inside)
        case _:
            return _file(repo, MAIN, rest)


def _tagged(repo: str, tag: str) -> HubModel:
    return HubModel(repo, file=tag) if is_gguf(tag) else HubModel(repo, quant=tag)


def _file(repo: str, revision: str, inside: Sequence[str]) -> HubModel | None:
    return HubModel(repo, revision, file="/".join(inside)) if inside and is_gguf(inside[-1]) else None
