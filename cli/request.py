"""From what was asked for to what is to be loaded."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from secrets import randbelow
from typing import Any, cast

from specchat.profiles.settings import AUTO, Chosen, Settings
from specchat.speculative.devices import is_remote
from specchat.speculative.errors import SpecchatError
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.noise import MAX_SEED
from specchat.speculative.verification import VerificationName

from .environment import Environment
from .flags import PairOptions
from .habits import RANDOM_SEED, no_model
from .models.auto_draft import giving_way, with_draft
from .models.fetching import obtain_pair
from .models.whereabouts import whereabouts
from .options import AnswerOptions, PromptOptions
from .precedence import Asked, profiles_of

NO_LIMIT = -1
_THINKS = {"on": True, "off": False, "hide": None}
"""What the words of `--think` ask of a template; None leaves it alone."""


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
    return Limits(max_tokens=chosen_limit(answer.limit), stop=settings.stop or ())


def chosen_limit(asked: int | None) -> int | None:
    """The most tokens of an answer; None is no limit."""
    return None if asked == NO_LIMIT else asked


def chosen_seed(asked: int) -> int:
    """The seed that was asked for, or one that is chosen now."""
    return randbelow(MAX_SEED + 1) if asked == RANDOM_SEED else asked


def obtain_config(
    env: Environment,
    options: PairOptions,
    asked: Asked,
    *,
    quiet: bool,
    chat_template: str | None = None,
) -> PairConfig:
    """What to load: all that `asked` names, fetched where it is not here, and a draft where it leaves that to us.

    `asked` names a target. A draft that only a profile names stops nothing where it cannot be had, save where no other
    may draft. Raises what finding and fetching raise.
    """
    settings, verification = asked.settings, options.drafting.verification
    where = whereabouts(env, offline=options.models.offline)
    required = asked.draft_named or settings.draft_length is not None or verification != "coupled"
    pair = obtain_pair(env, settings, where, draft_required=required, quiet=quiet, naming=partial(_naming, asked))
    config = PairConfig(
        target=pair.target.path,
        draft=pair.draft.path if pair.draft else "none" if settings.draft == "none" else "ngram",
        draft_required=required,
        target_config=LlamaConfig(verbose=options.verbose),
        draft_config=LlamaConfig(verbose=options.verbose),
        cache_folder=env.cache_folder,
        verification=cast(VerificationName, verification),
        exact=options.drafting.exact,
        seed=chosen_seed(options.sampling.seed),
        chat_template=chat_template,
        states=options.states,
        grammar=options.form,
    )
    config = with_settings(config, settings)
    if asked.draft_suggested and not required:
        config = giving_way(env, config, quiet)
    return with_draft(env, config, settings.draft, where, quiet)


@contextmanager
def _naming(asked: Asked, models: Sequence[str]) -> Iterator[None]:
    """Say of `models`, "target" or "draft" or both, who named them, if that is one place and no option."""
    try:
        yield
    except SpecchatError as error:
        places = {asked.named_at(model) for model in models}
        if len(places) == 1 and (place := places.pop()):
            error.hint = f"{place} names {'it' if len(models) == 1 else 'them'}. {error.hint}".rstrip()
        raise


def with_settings(config: PairConfig, settings: Settings) -> PairConfig:
    """The same with what `settings` say of loading, drafting and sampling; where it goes is open again."""
    config = config.unfitted
    return replace(
        config,
        target_config=_target_loaded_by(config.target_config, settings),
        draft_config=_draft_loaded_by(config.draft_config, settings),
        thinks=config.thinks if settings.think is None else _THINKS[settings.think],
        sampling={**config.sampling, **settings.sampling()},
        draft_max=settings.draft_max or config.draft_max,
        draft_length=config.draft_length if settings.draft_length is None else settings.draft_length,
    )


def _target_loaded_by(config: LlamaConfig, settings: Settings) -> LlamaConfig:
    chosen = {
        "devices": settings.device,
        "tensor_split": settings.tensor_split,
        "rpc": settings.rpc,
    }
    found = _changed(_loaded_by(config, settings, settings.gpu_layers), chosen)
    return replace(found, cpu_moe=_number(settings.cpu_moe, config.cpu_moe))


def _draft_loaded_by(config: LlamaConfig, settings: Settings) -> LlamaConfig:
    devices = settings.draft_device
    if devices is None and settings.device is not None:
        local = tuple(name for name in settings.device if not is_remote(name))
        devices = local if local or not settings.device else None
    return _changed(_loaded_by(config, settings, settings.draft_gpu_layers), {"devices": devices})


def _loaded_by(config: LlamaConfig, settings: Settings, gpu_layers: Chosen | None) -> LlamaConfig:
    chosen = {
        "mmap": None if settings.mmap is None else settings.mmap == "on",
        "threads": settings.threads,
        "threads_batch": settings.threads_batch,
        "flash_attention": settings.flash_attention,
        "cache_type_k": settings.cache_type_k,
        "cache_type_v": settings.cache_type_v,
    }
    found = _changed(config, chosen)
    context, layers = _number(settings.context, config.n_ctx), _number(gpu_layers, config.n_gpu_layers)
    return replace(found, n_ctx=context, n_gpu_layers=layers)


def _changed(config: LlamaConfig, chosen: dict[str, Any]) -> LlamaConfig:
    return replace(config, **{name: value for name, value in chosen.items() if value is not None})


def _number(value: Chosen | None, before: int | None) -> int | None:
    """What a setting makes of a number that was there before; "auto" leaves it open."""
    return before if value is None else None if value == AUTO else value
