"""The models of a repository that are smaller than one of them."""

from dataclasses import dataclass

from specchat.speculative.errors import ModelLoadError

from ..errors import AccessError, FetchError
from ..shards import parts_among
from ..sources import HubModel
from .choice import model_files, quantisation_of
from .client import Hub


@dataclass(frozen=True, slots=True)
class Listed:
    """A model by the name that it is asked for, and the bytes of all its files."""

    name: str
    size: int


def smaller_models(hub: Hub, source: HubModel, size: int) -> list[Listed]:
    """Those of the repository of `source` that take less than `size` bytes, the largest first.

    Where the hub does not answer there are none: they are advice.
    """
    if hub.offline:
        return []
    try:
        sizes = {file.path: file.size for file in hub.files(source.repo, source.revision)}
    except (AccessError, FetchError, ModelLoadError):
        return []
    models = model_files(list(sizes))
    quantisations = [quantisation_of(path) for path in models]
    found = [
        Listed(
            f"{source.repo}:{quant}" if quant and quantisations.count(quant) == 1 else f"{source.repo}/{path}",
            sum(sizes[part] for part in parts_among(path, sizes)),
        )
        for path, quant in zip(models, quantisations, strict=True)
    ]
    return sorted((each for each in found if each.size < size), key=lambda each: -each.size)
