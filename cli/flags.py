"""The options of a command line as settings."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from specchat.profiles.names import parse_model
from specchat.profiles.settings import NONE, Chosen, Layer, Settings, devices_of_words, parse_draft, servers_of_words
from specchat.speculative.constraint.grammar import Grammar
from specchat.speculative.errors import UsageError
from specchat.speculative.state_places import StatePlace

from .options import DraftingOptions, MachineOptions, ModelOptions, PlacingOptions, SamplingOptions

SPELLED = {
    "target": "-m",
    "draft": "--draft",
    "draft_max": "--draft-max",
    "draft_length": "--draft-length",
    "context": "-c",
    "gpu_layers": "-ngl",
    "draft_gpu_layers": "-ngld",
    "device": "--device",
    "draft_device": "--draft-device",
    "tensor_split": "--tensor-split",
    "rpc": "--rpc",
    "cpu_moe": "--cpu-moe",
    "mmap": "--mmap",
    "threads": "-t",
    "threads_batch": "-tb",
    "flash_attention": "-fa",
    "cache_type_k": "-ctk",
    "cache_type_v": "-ctv",
    "system": "-sys",
    "stop": "--stop",
    "think": "--think",
    "json_schema": "--json-schema",
    "grammar": "--grammar",
    "temperature": "--temp",
    "top_k": "--top-k",
    "top_p": "--top-p",
    "min_p": "--min-p",
    "repeat_penalty": "--repeat-penalty",
    "presence_penalty": "--presence-penalty",
    "frequency_penalty": "--frequency-penalty",
    "penalty_last_n": "--repeat-last-n",
    "typical_p": "--typical",
    "top_n_sigma": "--top-nsigma",
    "xtc_probability": "--xtc-probability",
    "xtc_threshold": "--xtc-threshold",
    "dry_multiplier": "--dry-multiplier",
    "dry_base": "--dry-base",
    "dry_allowed_length": "--dry-allowed-length",
    "dry_penalty_last_n": "--dry-penalty-last-n",
    "dry_sequence_breakers": "--dry-sequence-breaker",
    "logit_bias": "--logit-bias",
}
"""The option for each setting."""
IN_CHATS = {"target": "/model", "draft": "/draft"}
"""The command of a chat that names another one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOptions:
    """All the options that say how a pair is loaded; with a `form`, how its answers are to look.

    What the pair reads is kept at `states`.
    """

    models: ModelOptions
    drafting: DraftingOptions
    placing: PlacingOptions
    machine: MachineOptions
    sampling: SamplingOptions
    verbose: bool
    form: Grammar | None = None
    states: StatePlace | None = None


def flag_settings(
    options: PairOptions,
    mirror: str,
    system: str | None = None,
    stop: Sequence[str] | None = None,
    think: str | None = None,
    json_schema: str | None = None,
    grammar: str | None = None,
) -> Layer:
    """What the options set. An empty text for `stop` is none, and still wins over others.

    Models may be named by addresses at `mirror`, as `parse_model` reads them. Raises what `placing_settings` does.
    """
    model, draft = options.models.model, options.models.draft
    drafting, machine, sampling = options.drafting, options.machine, options.sampling
    settings = replace(
        placing_settings(options.placing),
        target=None if model is None else parse_model(model, mirror=mirror),
        draft=None if draft is None else parse_draft(draft, mirror=mirror),
        draft_max=drafting.draft_max,
        draft_length=drafting.draft_length,
        mmap=_switch(machine.mmap),
        threads=machine.threads,
        threads_batch=machine.threads_batch,
        system=system,
        stop=tuple(text for text in stop if text) if stop else None,
        think=think,
        json_schema=json_schema,
        grammar=grammar,
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        min_p=sampling.min_p,
        repeat_penalty=sampling.repeat_penalty,
        presence_penalty=sampling.presence_penalty,
        frequency_penalty=sampling.frequency_penalty,
        penalty_last_n=sampling.penalty_last_n,
        typical_p=sampling.typical_p,
        top_n_sigma=sampling.top_n_sigma,
        xtc_probability=sampling.xtc_probability,
        xtc_threshold=sampling.xtc_threshold,
        dry_multiplier=sampling.dry_multiplier,
        dry_base=sampling.dry_base,
        dry_allowed_length=sampling.dry_allowed_length,
        dry_penalty_last_n=sampling.dry_penalty_last_n,
        dry_sequence_breakers=_behind_none(sampling.dry_sequence_breakers),
        logit_bias=_behind_none(sampling.logit_bias),
    )
    return spelled_layer(settings, options.placing)


def placing_settings(options: PlacingOptions) -> Settings:
    """What the options set of the memory that models take, and of where.

    Raises `UsageError` where they contradict each other.
    """
    return Settings(
        context=options.context,
        gpu_layers=options.gpu_layers,
        draft_gpu_layers=options.draft_gpu_layers,
        device=None if options.device is None else devices_of_words(options.device.items),
        draft_device=None if options.draft_device is None else devices_of_words(options.draft_device.items),
        tensor_split=None if options.tensor_split is None else options.tensor_split.items,
        rpc=None if options.rpc is None else servers_of_words(options.rpc.items),
        cpu_moe=_kept_experts(options),
        flash_attention=options.flash_attention,
        cache_type_k=options.cache_type_k,
        cache_type_v=options.cache_type_v,
    )


def _kept_experts(options: PlacingOptions) -> Chosen | None:
    number: Chosen | None = options.n_cpu_moe
    if options.cpu_moe is None:
        return number
    if number is not None:
        raise UsageError(
            "--cpu-moe and -ncmoe both say of how many layers the experts stay behind.", "Leave one of them out."
        )
    return -1 if options.cpu_moe else 0


def spelled_layer(settings: Settings, placing: PlacingOptions) -> Layer:
    """Settings that options made, those of `placing` among them, each under the name of its option."""
    experts = {} if placing.n_cpu_moe is None else {"cpu_moe": "-ncmoe"}
    names = {**SPELLED, **experts}
    return Layer(settings, {name: names[name] for name in settings.said()})


def _switch(on: bool | None) -> str | None:
    return None if on is None else "on" if on else "off"


def _behind_none(texts: Sequence[str] | None) -> tuple[str, ...] | None:
    """The values of a repeatable option; "none" takes away what stands before it, and what others say."""
    if not texts:
        return None
    places = [place for place, text in enumerate(texts) if text == NONE]
    return tuple(texts[places[-1] + 1 :] if places else texts)
