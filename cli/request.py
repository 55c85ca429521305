"""From options and a profile to what is to be loaded and asked. Options win over the profile."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from secrets import randbelow
from typing import Any, Literal, cast

from specchat.profiles.errors import ProfileError
from specchat.profiles.paths import expanded
from specchat.profiles.profile import Profile
from specchat.profiles.sources import ModelSource, model_path
from specchat.profiles.store import load_profile, profile_names
from specchat.speculative.errors import ModelLoadError
from specchat.speculative.llama.config import FlashAttention, LlamaConfig
from specchat.speculative.llama.pair_config import DEFAULT_DRAFT_MAX, PairConfig
from specchat.speculative.noise import MAX_SEED
from specchat.speculative.verification import VerificationName

from .habits import RANDOM_SEED, no_model
from .options import AnswerOptions, DraftingOptions, MachineOptions, ModelOptions, PromptOptions, SamplingOptions

NO_LIMIT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """All the options that say how a pair is loaded."""

    models: ModelOptions
    drafting: DraftingOptions
    machine: MachineOptions
    sampling: SamplingOptions
    verbose: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where an answer ends."""

    max_tokens: int | None
    stop: tuple[str, ...]


def named_profile(models: ModelOptions, prompt: PromptOptions, command: str) -> Profile | None:
    """The profile that was asked for. Raises `UsageError` when `command` was given neither a profile nor a model."""
    if models.profile is not None:
        return load_profile(models.profile)
    if models.model is None:
        raise no_model(prompt.words or (), profile_names(), command)
    return None


def limits(answer: AnswerOptions, profile: Profile | None) -> Limits:
    """Where the answer ends, by the options and else by the profile."""
    stop = answer.stop or (profile.stop if profile else ())
    limit = None if answer.limit in (None, NO_LIMIT) else answer.limit
    return Limits(max_tokens=limit, stop=tuple(text for text in stop if text))


def pair_config(
    options: PairOptions, profile: Profile | None, cache_folder: Path | None, chat_template: str | None = None
) -> PairConfig:
    """What to load, by the options and else by the profile. Measured costs are kept in `cache_folder`."""
    draft_max = options.drafting.draft_max or (profile.draft_max if profile else None)
    seed = options.sampling.seed
    return PairConfig(
        target=_target(options.models, profile),
        draft=_draft(options.models, profile),
        target_config=_llama_config(options, profile, options.machine.gpu_layers),
        draft_config=_llama_config(options, profile, options.machine.draft_gpu_layers),
        sampling=_sampling(options.sampling, profile),
        draft_max=DEFAULT_DRAFT_MAX if draft_max is None else draft_max,
        draft_length=options.drafting.draft_length,
        cache_folder=cache_folder,
        verification=cast(VerificationName, options.drafting.verification),
        exact=options.drafting.exact,
        seed=randbelow(MAX_SEED + 1) if seed == RANDOM_SEED else seed,
        chat_template=chat_template,
    )


def model_file(source: ModelSource) -> Path:
    """The file of a model that a profile names."""
    try:
        return model_path(source)
    except ProfileError as error:
        raise ModelLoadError(error.message, error.hint) from error


def _target(models: ModelOptions, profile: Profile | None) -> Path:
    if models.model is None and profile is not None:
        return model_file(profile.target)
    return expanded(models.model or "")


def _draft(models: ModelOptions, profile: Profile | None) -> Path | Literal["ngram", "none"]:
    if models.draft is None and profile is not None and profile.draft is not None:
        return profile.draft if isinstance(profile.draft, str) else model_file(profile.draft)
    match models.draft:
        case "none":
            return "none"
        case None | "ngram":
            return "ngram"
        case file:
            return expanded(file)


def _llama_config(options: PairOptions, profile: Profile | None, gpu_layers: int | None) -> LlamaConfig:
    machine = options.machine
    layers = gpu_layers if gpu_layers is not None else profile.gpu_layers if profile else None
    return LlamaConfig(
        n_ctx=machine.context if machine.context is not None else profile.context if profile else None,
        n_gpu_layers=-1 if layers is None else layers,
        threads=machine.threads,
        flash_attention=cast(FlashAttention, machine.flash_attention),
        cache_type_k=machine.cache_type_k,
        cache_type_v=machine.cache_type_v,
        verbose=options.verbose,
    )


def _sampling(options: SamplingOptions, profile: Profile | None) -> Mapping[str, Any]:
    given = {each.name: getattr(options, each.name) for each in fields(options) if each.name != "seed"}
    chosen = {name: value for name, value in given.items() if value is not None}
    return {**(profile.sampling if profile else {}), **chosen}
