"""Which files of a repository make the model that was asked for, chosen as llama.cpp chooses them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath

from specchat.speculative.errors import ModelLoadError

from ..errors import choose_from
from ..names import ENDING, is_gguf
from ..shards import first_shard, parts_among, shard_of
from ..sources import HubModel
from ..stores.model_files import is_model_name, quantisation

USUAL = ("Q4_K_M", "Q8_0")
"""What is taken when no quantisation is named, best first; without these the first file."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The files of one model, in the order of its parts: the first is the one to load. `reason` is one sentence."""

    paths: tuple[str, ...]
    reason: str


def choose(paths: Sequence[str], wanted: HubModel) -> Choice:
    """The files for `wanted` among all `paths` of its repository, which are in the order of the hub's listing.

    Raises `ModelLoadError` when they are not all there.
    """
    if wanted.file:
        path, reason = _named_file(paths, wanted, wanted.file)
    else:
        path, reason = _quantisation(model_files(paths), wanted)
    parts = parts_among(path, paths)
    shard = shard_of(path)
    if shard is None:
        return Choice(parts, f"{reason}.")
    if len(parts) != shard.count:
        raise ModelLoadError(
            f"{wanted.repo} has only {len(parts)} of the {shard.count} parts of {first_shard(path)}.",
            f"Name another quantisation: {_others(model_files(paths))}.",
        )
    return Choice(parts, f"{reason}, in {shard.count} parts.")


def is_unnamed(quant: str | None) -> bool:
    """Whether a tag leaves the choice to us; Ollama writes that as `latest`."""
    return not quant or quant.lower() == "latest"


def model_files(paths: Sequence[str]) -> list[str]:
    """The paths of models among `paths`, each model once, by the part to load."""
    found = (path for path in paths if is_model_name(PurePosixPath(path).name))
    return [path for path in found if first_shard(path) == path]


def quantisation_of(path: str) -> str:
    """The quantisation that a file is named after, in capitals; nothing where it is not."""
    shard = shard_of(path)
    return quantisation(PurePosixPath(shard.prefix if shard else path[: -len(ENDING)]).name)


def _named_file(paths: Sequence[str], wanted: HubModel, file: str) -> tuple[str, str]:
    if found := next((path for path in (file, *paths) if path in paths and path.lower() == file.lower()), None):
        return found, f"{wanted.repo}: {found}"
    raise ModelLoadError(f"There is no {file} in {wanted.repo}.", _nearest_file(paths, wanted, file))


def _nearest_file(paths: Sequence[str], wanted: HubModel, file: str) -> str:
    models = {path.lower(): path for path in paths if is_gguf(path)}
    inside = [path for path in models if PurePosixPath(path).name == PurePosixPath(file.lower()).name]
    near = [*inside, *get_close_matches(file.lower(), models, n=1, cutoff=0.5)]
    named = f"Did you mean {wanted.repo}/{models[near[0]]}? " if near else ""
    return f"{named}Quantisations there: {_others(model_files(paths))}."


def _quantisation(models: Sequence[str], wanted: HubModel) -> tuple[str, str]:
    if not models:
        raise ModelLoadError(
            f"{wanted.repo} has no GGUF file with a model.",
            "A projector or a draft head is named with its file: USER/REPO/FILE.gguf.",
        )
    quant = wanted.quant
    if quant and not is_unnamed(quant):
        if (found := _matching(models, quant)) is None:
            known = [each for each in map(quantisation_of, models) if each]
            raise ModelLoadError(f"There is no {quant} in {wanted.repo}.", _did_you_mean(quant.upper(), known))
        return found, f"{wanted.repo}: {found}"
    if len(models) == 1:
        return models[0], f"{wanted.repo}: {models[0]}, the only model in it"
    for tag in USUAL:
        if found := _matching(models, tag):
            return found, f"{wanted.repo}: {tag}, of {len(models)} models in it"
    first = quantisation_of(models[0]) or models[0]
    return models[0], f"{wanted.repo}: {first}, the first of {len(models)} models, for want of {' and '.join(USUAL)}"


def _matching(models: Sequence[str], tag: str) -> str | None:
    """The first model whose path has `tag`, whole: F16 is not found in BF16."""
    pattern = re.compile(rf"(?<![a-z0-9]){re.escape(tag)}[.-]", re.IGNORECASE | re.ASCII)
    return next((path for path in models if pattern.search(path)), None)


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    return choose_from(word, list(dict.fromkeys(known))) if known else "Its files are not named after quantisations."


def _others(models: Sequence[str]) -> str:
    known = dict.fromkeys(quantisation_of(path) or PurePosixPath(path).name for path in models)
    return ", ".join(known) or "none"
