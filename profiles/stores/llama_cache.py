"""llama.cpp's older cache: files called USER_REPO_FILE in one folder, and a manifest for each name asked for."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .model_files import ModelFiles, models_among
from .stored import Found, incomplete
from .survey import Survey

_MANIFEST = re.compile(r"manifest=(?P<user>[^=]+)=(?P<repo>[^=]+)=(?P<tag>.+)\.json")
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a file came from, by a manifest."""

    repo: str
    tag: str
    file: str
    sha256: str


def llama_cache_models(folder: Path, survey: Survey) -> list[Found]:
    """The models in a folder of the older layout; those of other downloads than by repository are called by file."""
    files = survey.entries(folder)
    origins = {_flat_name(origin): origin for file in files for origin in _origins(file, survey)}
    found = []
    for model in models_among(files):
        each = _found(model, origins.get(model.shards[0].name))
        if model.missing:
            name = each.names[0]
            remedy = f"llama.cpp fetches the rest; or specchat pull {name}"
            survey.notices.append(incomplete(name, survey.store, model.missing, remedy))
        else:
            found.append(each)
    return found


def _found(model: ModelFiles, origin: _Origin | None) -> Found:
    if origin is None:
        return Found(shards=model.shards, names=(model.stem,))
    short = (f"{origin.repo}:{model.quantisation}",) if model.quantisation else ()
    return Found(
        shards=model.shards,
        names=(*short, f"{origin.repo}/{origin.file}"),
        aliases=(f"{origin.repo}:{origin.tag}", origin.repo, model.stem),
        quantisation=model.quantisation,
        # the manifest knows the sum of the first part only
        sums=(origin.sha256 and f"sha256:{origin.sha256}", *[""] * (len(model.shards) - 1)),
    )


def _flat_name(origin: _Origin) -> str:
    return f"{origin.repo}/{origin.file}".replace("/", "_")


def _origins(manifest: Path, survey: Survey) -> list[_Origin]:
    match = _MANIFEST.fullmatch(manifest.name)
    if match is None:
        return []
    described = _mapping(survey.json(manifest), "ggufFile")
    file, sha256 = described.get("rfilename"), _mapping(described, "lfs").get("sha256")
    if not isinstance(file, str):
        return []
    known = sha256 if isinstance(sha256, str) and _SHA256.fullmatch(sha256) else ""
    return [_Origin(f"{match['user']}/{match['repo']}", match["tag"], file, known)]


def _mapping(content: dict[str, Any], key: str) -> dict[str, Any]:
    value = content.get(key)
    return value if isinstance(value, dict) else {}
