"""From what was asked for to what is to be loaded."""

from dataclasses import dataclass
from pathlib import Path
from secrets import randbelow
from typing import Any, Literal, cast

from specchat.profiles.errors import ProfileError
from specchat.profiles.settings import DraftChoice, Settings
from specchat.profiles.sources import ModelSource, model_path
from specchat.speculative.errors import ModelLoadError
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import DEFAULT_DRAFT_MAX, PairConfig
from specchat.speculative.noise import MAX_SEED
from specchat.speculative.verification import VerificationName

from .environment import Environment
from .flags import PairOptions
from .habits import RANDOM_SEED, no_model
from .options import AnswerOptions, PromptOptions
from .precedence import Asked, profiles_of

NO_LIMIT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where an answer ends."""

    max_tokens: int | None
    stop: tuple[str, ...]


def check_model(env: Environment, asked: Asked, prompt: PromptOptions, command: str) -> None:
    """Raise `UsageError` when nothing names a model for `command`."""
    if asked.settings.target is None:
        raise no_model(prompt.words or (), profiles_of(env).names(), command)


def limits(answer: AnswerOptions, settings: Settings) -> Limits:
    """Where the answer ends."""
    limit = None if answer.limit in (None, NO_LIMIT) else answer.limit
    return Limits(max_tokens=limit, stop=settings.stop or ())


def pair_config(
    options: PairOptions, settings: Settings, cache_folder: Path | None, chat_template: str | None = None
) -> PairConfig:
    """What to load. Measured costs are kept in `cache_folder`."""
    assert settings.target is not None
    seed = options.sampling.seed
    return PairConfig(
        target=model_file(settings.target),
        draft=_draft(settings.draft),
        target_config=_llama_config(settings, settings.gpu_layers, options.verbose),
        draft_config=_llama_config(settings, settings.draft_gpu_layers, options.verbose),
        sampling=settings.sampling(),
        draft_max=settings.draft_max or DEFAULT_DRAFT_MAX,
        draft_length=settings.draft_length,
        cache_folder=cache_folder,
        verification=cast(VerificationName, options.drafting.verification),
        exact=options.drafting.exact,
        seed=randbelow(MAX_SEED + 1) if seed == RANDOM_SEED else seed,
        chat_template=chat_template,
    )


def model_file(source: ModelSource) -> Path:
    """The file of a model."""
    try:
        return model_path(source)
    except ProfileError as error:
        raise ModelLoadError(error.message, error.hint) from error


def _draft(draft: DraftChoice | None) -> Path | Literal["ngram", "none"]:
    match draft:
        case "none":
            return "none"
        case None | "auto" | "ngram":
            return "ngram"
        case source:
            return model_file(source)


def _llama_config(settings: Settings, gpu_layers: int | None, verbose: bool) -> LlamaConfig:
    chosen: dict[str, Any] = {
        "n_ctx": settings.context,
        "n_gpu_layers": gpu_layers,
        "threads": settings.threads,
        "flash_attention": settings.flash_attention,
        "cache_type_k": settings.cache_type_k,
        "cache_type_v": settings.cache_type_v,
    }
    return LlamaConfig(verbose=verbose, **{name: value for name, value in chosen.items() if value is not None})
