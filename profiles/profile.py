"""A profile: a target, what drafts for it, and how both are set."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_type_hints

from specchat.speculative.errors import UsageError
from specchat.speculative.sampling import SamplingParams

from .errors import ProfileError
from .fields import Fields
from .names import parse_model
from .sources import ModelSource

DraftChoice = ModelSource | Literal["ngram", "none"]
"""A draft model, the n-grams of the context itself, or plain decoding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a profile says; None and empty mean that it does not say, and the usual default holds."""

    name: str
    target: ModelSource
    description: str = ""
    draft: DraftChoice | None = None
    draft_max: int | None = None
    context: int | None = None
    gpu_layers: int | None = None
    """Layers of both models to put on the GPU; -1 is all of them."""
    system: str | None = None
    stop: tuple[str, ...] = ()
    sampling: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Arguments of `SamplingParams`, for `dataclasses.replace`."""


KEYS = [each.name for each in fields(Profile) if each.name != "name"]


def parse_profile(name: str, content: object, origin: str, folder: Path) -> Profile:
    """Check what a YAML file holds. `origin` names the file in errors, relative model paths start at `folder`.

    Raises `ProfileError` for an unknown key, a value of the wrong kind or a number out of range.
    """
    if not isinstance(content, dict):
        raise ProfileError(f"{origin}: this is no profile.", "Write one `name: value` a line, at least target:")
    values = Fields(origin, content)
    values.only(KEYS)
    target = values.text("target")
    if not target:
        raise ProfileError(f"{origin}: no target is named.", "Write target: and a GGUF file.")
    return Profile(
        name=name,
        target=parse_model(target, folder),
        description=values.text("description") or "",
        draft=_draft(values.text("draft"), folder),
        draft_max=values.integer("draft_max", 1),
        context=values.integer("context", 0),
        gpu_layers=values.integer("gpu_layers", -1),
        system=values.text("system"),
        stop=values.texts("stop"),
        sampling=_sampling(values.mapping("sampling")),
    )


def _draft(text: str | None, folder: Path) -> DraftChoice | None:
    match text:
        case "ngram":
            return "ngram"
        case "none":
            return "none"
        case _:
            return parse_model(text, folder) if text else None


def _sampling(values: Fields) -> Mapping[str, Any]:
    kinds = get_type_hints(SamplingParams)
    values.only(list(kinds))
    overrides: dict[str, Any] = {key: values.number(key, kinds[key]) for key in values.values}
    try:
        SamplingParams(**overrides)
    except UsageError as error:
        raise ProfileError(f"{values.origin}: {error.message}", error.hint) from error
    return MappingProxyType(overrides)
