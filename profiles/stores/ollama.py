"""Ollama's store: `manifests/HOST/NAMESPACE/MODEL/TAG` say which of `blobs/sha256-SUM` make a model."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .stored import Found, Notice
from .survey import Survey

_HOST, _NAMESPACE, _TAG = "registry.ollama.ai", "library", "latest"
_HUB_HOSTS = ("hf.co", "huggingface.co")
_MEDIA = "application/vnd.ollama.image."
_DIGEST = re.compile("sha256[:-][0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class _Name:
    """A model's full name, as its manifest lies in the folders."""

    host: str
    namespace: str
    model: str
    tag: str

    @property
    def shown(self) -> str:
        """The name as Ollama lists it."""
        if self.host != _HOST:
            return f"{self.host}/{self.namespace}/{self.model}:{self.tag}"
        return f"{self.model}:{self.tag}" if self.namespace == _NAMESPACE else f"{self.repo}:{self.tag}"

    @property
    def repo(self) -> str:
        """What would be a repository on the hub."""
        return f"{self.namespace}/{self.model}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Shorter ways to say it: the hub's host and the usual tag may be left out."""
        on_the_hub = (f"{self.repo}:{self.tag}",) if self.host in _HUB_HOSTS else ()
        names = (self.shown, *on_the_hub)
        usual = [name.removesuffix(f":{_TAG}") for name in names] if self.tag == _TAG else []
        return (*on_the_hub, *usual)


def ollama_models(store: Path, survey: Survey) -> list[Found]:
    """The models of a store that are GGUF files; those that are not, or not whole, are noticed."""
    for folder in (store, store / "blobs"):  # what is closed is noticed, as the whole that it is
        survey.entries(folder)
    levels = [store / "manifests"]
    for _ in range(3):
        levels = [folder for level in levels for folder in survey.folders(level)]
    files = [file for folder in levels for file in survey.entries(folder)]
    return [found for file in files for found in _models(file, _Name(*file.parts[-4:]), store / "blobs", survey)]


def _models(manifest: Path, name: _Name, blobs: Path, survey: Survey) -> Iterator[Found]:
    layers = dict(_layers(manifest, survey))
    digest = layers.get("model")
    if digest is None:
        if "tensor" in layers:
            survey.notices.append(Notice(f"{name.shown} ({survey.store}) is no GGUF file but safetensors."))
        return  # otherwise a name of Ollama's cloud, or of nothing
    blob = _blob(blobs, digest)
    if blob is None:
        if not survey.met_closed:
            remedy = f"Fetch it again: ollama pull {name.shown}"
            survey.notices.append(Notice(f"{name.shown} ({survey.store}) is incomplete: its model is missing.", remedy))
        return
    yield Found(
        shards=(blob,),
        names=(name.shown,),
        aliases=name.aliases,
        sums=(digest.replace("-", ":"),),
        note="without the adapter that Ollama applies to it" if "adapter" in layers else "",
    )


def _layers(manifest: Path, survey: Survey) -> Iterator[tuple[str, str]]:
    """The kind and the digest of each layer; where there are several models Ollama takes the last, and so does this."""
    layers = survey.json(manifest).get("layers")
    for layer in layers if isinstance(layers, list) else []:
        if not isinstance(layer, dict):
            continue
        kind, digest = layer.get("mediaType"), layer.get("digest")
        if isinstance(kind, str) and isinstance(digest, str) and _DIGEST.fullmatch(digest):
            yield kind.removeprefix(_MEDIA), digest


def _blob(blobs: Path, digest: str) -> Path | None:
    """The file of a digest; an older Ollama wrote a colon into its name."""
    names = (digest.replace(":", "-"), digest.replace("-", ":"))
    return next((blobs / name for name in names if os.path.isfile(blobs / name)), None)  # noqa: PTH113 - raises nothing
