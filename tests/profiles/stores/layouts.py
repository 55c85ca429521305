"""Model files laid out as each tool lays them out; every content is another, so that sums tell them apart."""

import hashlib
import json
from pathlib import Path

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MEDIA = "application/vnd.ollama.image."


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def hub_file(
    cache: Path, repo: str, name: str, content: bytes, commit: str = COMMIT, ref: str | None = "main", git: bool = False
) -> Path:
    """As huggingface_hub does, and llama.cpp since it shares its cache."""
    folder = cache / f"models--{repo.replace('/', '--')}"
    blob = folder / "blobs" / (git_sum(content) if git else sha256(content))
    link = folder / "snapshots" / commit / name
    for file in (blob, link):
        file.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    link.symlink_to("../" * (len(link.relative_to(folder).parts) - 1) + f"blobs/{blob.name}")
    if ref:
        (folder / "refs").mkdir(exist_ok=True)
        (folder / "refs" / ref).write_text(commit)
    return link


def git_sum(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def old_llama_file(folder: Path, repo: str, name: str, content: bytes, tag: str = "latest") -> Path:
    """As llama.cpp did with -hf before it shared the hub's cache."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{repo}_{name}".replace("/", "_")
    file.write_bytes(content)
    Path(f"{file}.etag").write_text(f'"{sha256(content)}"')
    size = len(content)
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": {"digest": f"sha256:{'0' * 64}", "size": 400},
        "layers": [{"mediaType": f"{MEDIA}model", "size": size, "digest": f"sha256:{sha256(content)}"}],
        "ggufFile": {
            "rfilename": name,
            "size": size,
            "blobId": git_sum(content),
            "lfs": {"sha256": sha256(content), "size": size, "pointerSize": 135},
        },
    }
    (folder / f"manifest={repo.replace('/', '=')}={tag}.json").write_text(json.dumps(manifest))
    return file


def lm_studio_file(folder: Path, repo: str, name: str, content: bytes) -> Path:
    file = folder / repo / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def ollama_model(
    store: Path,
    name: str,
    content: bytes,
    kind: str = "model",
    more: tuple[str, ...] = ("template", "license", "params"),
) -> Path:
    """As Ollama does; `name` is HOST/NAMESPACE/MODEL/TAG, or MODEL/TAG of its own library."""
    contents = {kind: content} | {each: each.encode() for each in more}
    layers = [
        {"mediaType": f"{MEDIA}{media}", "digest": _ollama_blob(store, data), "size": len(data)}
        for media, data in contents.items()
    ]
    config = json.dumps({"model_format": "gguf", "model_family": "llama", "os": "linux"}).encode()
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
        "config": {
            "mediaType": "application/vnd.docker.container.image.v1+json",
            "digest": _ollama_blob(store, config),
            "size": len(config),
        },
        "layers": layers,
    }
    file = store / "manifests" / (name if name.count("/") == 3 else f"registry.ollama.ai/library/{name}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(manifest))
    return store / "blobs" / f"sha256-{sha256(content)}"


def _ollama_blob(store: Path, content: bytes) -> str:
    (store / "blobs").mkdir(parents=True, exist_ok=True)
    (store / "blobs" / f"sha256-{sha256(content)}").write_bytes(content)
    return f"sha256:{sha256(content)}"
