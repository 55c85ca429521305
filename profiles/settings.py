"""The settings that a profile, the config file and the environment can make, and which of two wins."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from specchat.speculative.devices import NO_DEVICE
from specchat.speculative.errors import UsageError

from .errors import ProfileError
from .fields import Fields
from .forms import FORMS, form_from
from .names import parse_model
from .sources import ModelSource

Source = TypeVar("Source")

DraftChoice = ModelSource | Literal["auto", "ngram", "none"]
"""A draft model, whatever is found for the target, the n-grams of the context itself, or plain decoding."""

AUTO: Literal["auto"] = "auto"
Chosen = int | Literal["auto"]
"""A number that is chosen for the machine if nobody says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What one of them says; None means that it does not say."""

    target: ModelSource | None = None
    draft: DraftChoice | None = None
    draft_max: int | None = None
    draft_length: int | None = None
    context: Chosen | None = None
    gpu_layers: Chosen | None = None
    """Layers of the target to put on the GPU; -1 is all of them."""
    draft_gpu_layers: Chosen | None = None
    device: tuple[str, ...] | None = None
    """Names of devices; without any, the CPU alone."""
    draft_device: tuple[str, ...] | None = None
    tensor_split: tuple[float, ...] | None = None
    rpc: tuple[str, ...] | None = None
    """Where servers listen whose machines take layers, too; without any, none do."""
    cpu_moe: Chosen | None = None
    """Of so many of the first layers the experts stay in main memory; -1 is of all of them."""
    mmap: str | None = None
    threads: int | None = None
    threads_batch: int | None = None
    flash_attention: str | None = None
    cache_type_k: str | None = None
    cache_type_v: str | None = None
    system: str | None = None
    stop: tuple[str, ...] | None = None
    think: str | None = None
    json_schema: str | None = None
    grammar: str | None = None
    """The form of answers, one of these two, as `form_file` reads them."""
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    penalty_last_n: int | None = None
    typical_p: float | None = None
    top_n_sigma: float | None = None
    xtc_probability: float | None = None
    xtc_threshold: float | None = None
    dry_multiplier: float | None = None
    dry_base: float | None = None
    dry_allowed_length: int | None = None
    dry_penalty_last_n: int | None = None
    dry_sequence_breakers: tuple[str, ...] | None = None
    logit_bias: tuple[str, ...] | None = None

    def said(self) -> dict[str, Any]:
        """The settings that are made, by name."""
        return {name: value for name in NAMES if (value := getattr(self, name)) is not None}

    @property
    def on_cpu(self) -> bool:
        """Whether they keep the target off all devices."""
        return self.gpu_layers == 0 or self.device == ()

    def sampling(self) -> dict[str, Any]:
        """Arguments of `SamplingParams`."""
        return {name: value for name, value in self.said().items() if name in SAMPLING}


NAMES = tuple(each.name for each in fields(Settings))
SAMPLING = NAMES[NAMES.index("temperature") :]
WHOLE = ("top_k", "penalty_last_n", "dry_allowed_length", "dry_penalty_last_n")
"""Of `SAMPLING`, those that are counts."""
LISTS = ("dry_sequence_breakers", "logit_bias")
"""Of `SAMPLING`, those that are several texts."""
NONE = "none"
"""What stands for no text where a list has to be one text."""
KEYS = (*(name for name in NAMES if name not in SAMPLING), "sampling")
"""The keys of a file; `SAMPLING` stands in a mapping of its own there."""
ON_OFF = ("on", "off")
FLASH_ATTENTION = ("auto", "on", "off")
_LOADED = {
    "context": "n_ctx",
    "device": "devices",
    "draft_device": "devices",
    "tensor_split": "tensor_split",
    "rpc": "rpc",
    "threads": "threads",
    "threads_batch": "threads_batch",
    "cache_type_k": "cache_type_k",
    "cache_type_v": "cache_type_v",
}
"""What the engine can judge by itself, by its own names."""
THINK = ("on", "off", "hide")


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings, and where each was made, by name."""

    settings: Settings = field(default_factory=Settings)
    origins: Mapping[str, str] = field(default_factory=dict)


def without(layer: Layer, names: Sequence[str]) -> Layer:
    """The same without the settings called `names`."""
    origins = {name: origin for name, origin in layer.origins.items() if name not in names}
    return Layer(replace(layer.settings, **dict.fromkeys(names)), origins)


def over(upper: Layer, lower: Layer) -> Layer:
    """Both, `upper` first.

    Target and draft are one value: who names a target and no draft leaves it to be found, whatever `lower` says. So are
    the two kinds of forms.
    """
    said, origins = upper.settings.said(), dict(upper.origins)
    if any(name in said for name in FORMS):
        lower = without(lower, FORMS)
    if "target" in said and "draft" not in said and lower.settings.draft not in (None, AUTO):
        said["draft"], origins["draft"] = AUTO, f"{origins['target']} names no draft"
    return Layer(replace(lower.settings, **said), {**lower.origins, **origins})


def merged(layers: Sequence[Layer]) -> Layer:
    """All of them, the first one first."""
    found = Layer()
    for layer in reversed(layers):
        found = over(layer, found)
    return found


def parse_draft(text: str, folder: Path = Path(), mirror: str = "") -> DraftChoice:
    """What `text` names as a draft: one of the words, or a model as `parse_model` reads it."""
    match text:
        case "auto":
            return "auto"
        case "ngram":
            return "ngram"
        case "none":
            return "none"
        case _:
            return parse_model(text, folder, mirror)


def read_settings(values: Fields, folder: Path, name: str) -> Layer:
    """The settings in a mapping; relative model paths start at `folder`, `name` says in origins whose they are.

    Raises `ProfileError` for a value of the wrong kind or out of range, `UsageError` for an unknown home folder.
    """
    sampling = values.mapping("sampling")
    sampling.only(SAMPLING)
    settings = Settings(
        target=_source(values, "target", folder, parse_model),
        draft=_source(values, "draft", folder, parse_draft),
        draft_max=values.integer("draft_max", 1),
        draft_length=values.integer("draft_length", 0),
        context=values.chosen("context", 0),
        gpu_layers=values.layers("gpu_layers"),
        draft_gpu_layers=values.layers("draft_gpu_layers"),
        device=_several(values, "device", devices_of_words),
        draft_device=_several(values, "draft_device", devices_of_words),
        tensor_split=values.numbers("tensor_split"),
        rpc=_several(values, "rpc", servers_of_words),
        cpu_moe=values.experts("cpu_moe"),
        mmap=values.word("mmap", ON_OFF),
        threads=values.integer("threads", 1),
        threads_batch=values.integer("threads_batch", 1),
        flash_attention=values.word("flash_attention", FLASH_ATTENTION),
        cache_type_k=values.text("cache_type_k"),
        cache_type_v=values.text("cache_type_v"),
        system=values.text("system"),
        stop=values.texts("stop"),
        think=values.word("think", THINK),
        json_schema=_form(values, "json_schema", folder),
        grammar=_form(values, "grammar", folder),
        **{each: _sampler(sampling, each) for each in SAMPLING},
    )
    _check(settings, values, sampling)
    sources = {each: sampling if each in SAMPLING else values for each in settings.said()}
    return Layer(settings, {each: _origin(sources[each], each, name) for each in sources})


def _sampler(values: Fields, key: str) -> Any:
    if key in LISTS:
        texts = values.texts(key)
        return () if texts == (NONE,) else texts
    return values.integer(key, -1) if key in WHOLE else values.number(key)


def _form(values: Fields, key: str, folder: Path) -> str | None:
    text = values.text(key)
    if text == "":
        raise values.wrong(key, "a form", "Name a file, or write the form itself; none stands for no form.")
    return None if text is None else form_from(key, text, folder)


def servers_of_words(words: Sequence[str]) -> tuple[str, ...]:
    """The servers that are named; "none" is that there are none."""
    return () if tuple(words) == (NONE,) else tuple(words)


def devices_of_words(words: Sequence[str]) -> tuple[str, ...]:
    """The devices that are named; one of `NO_DEVICE`, alone, is that there are none."""
    return () if len(words) == 1 and words[0].casefold() in NO_DEVICE else tuple(words)


def _several(values: Fields, key: str, of_words: Callable[[Sequence[str]], tuple[str, ...]]) -> tuple[str, ...] | None:
    texts = values.texts(key)
    return None if texts is None else of_words([name.strip() for text in texts for name in text.split(",")])


def _origin(values: Fields, key: str, name: str) -> str:
    if key in values.names:
        return values.names[key]
    return f"{name}, line {values.lines[key]}" if key in values.lines else name


def _source(values: Fields, key: str, folder: Path, parse: Callable[[str, Path], Source]) -> Source | None:
    text = values.text(key)
    if text == "":
        raise values.wrong(key, "a model", "Name a GGUF file, or USER/REPO:QUANT on the hub.")
    try:
        return None if text is None else parse(text, folder)
    except ProfileError as error:
        raise ProfileError(f"{values.place(key)}: {error.message}", error.hint) from error


def _check(settings: Settings, values: Fields, sampling: Fields) -> None:
    """Raise `ProfileError` for what the engine would refuse, one by one, to name the line."""
    from specchat.speculative.llama.config import LlamaConfig
    from specchat.speculative.sampling_params import SamplingParams

    for name, value in settings.said().items():
        arguments: dict[str, Any] = {_LOADED.get(name, name): value}
        try:
            if name in SAMPLING:
                SamplingParams(**arguments)
            elif name in _LOADED and value != AUTO:
                LlamaConfig(**arguments)
        except UsageError as error:
            place = (sampling if name in SAMPLING else values).place(name)
            raise ProfileError(f"{place}: {error.message}", error.hint) from error
