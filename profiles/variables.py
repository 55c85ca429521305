"""Settings in environment variables: SPECCHAT_TEMPERATURE=0, and so on."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from .fields import Fields
from .forms import FORMS
from .settings import LISTS, NAMES, ON_OFF, SAMPLING, WHOLE, Layer, read_settings

PREFIX = "SPECCHAT_"
PROFILE = f"{PREFIX}PROFILE"
GPU_HINT = f"{PREFIX}GPU_HINT"
_TEXTS = (
    "target",
    "draft",
    "device",
    "draft_device",
    "rpc",
    "mmap",
    "flash_attention",
    "cache_type_k",
    "cache_type_v",
    "system",
    "stop",
    "think",
    *FORMS,
)
_FLOATS = tuple(name for name in SAMPLING if name not in (*WHOLE, *LISTS))


def variable(setting: str) -> str:
    """The variable of a setting; the target's is called after the option --model."""
    return f"{PREFIX}{'MODEL' if setting == 'target' else setting.upper()}"


def variable_settings(variables: Mapping[str, str]) -> Layer:
    """What the variables set; an empty one sets nothing. Relative model paths start at the current folder.

    Raises `ProfileError` for a value of the wrong kind or out of range, `UsageError` for an unknown home folder.
    """
    texts = {name: text for name in NAMES if (text := variables.get(variable(name)))}
    return settings_of_texts(texts, {name: variable(name) for name in texts})


def settings_of_texts(texts: Mapping[str, str], spelled: Mapping[str, str]) -> Layer:
    """The settings in `texts`, by their names; errors and origins call them as they are `spelled`.

    Raises `ProfileError` for a value of the wrong kind or out of range, `UsageError` for an unknown home folder.
    """
    said = {name: _typed(name, text) for name, text in texts.items()}
    names: Mapping[object, str] = {name: word for name, word in spelled.items()}  # noqa: C416 - keys of any type
    sampling = Fields("", {name: said[name] for name in said if name in SAMPLING}, names=names)
    values: dict[object, object] = {name: value for name, value in said.items() if name not in SAMPLING}
    return read_settings(Fields("", {**values, "sampling": sampling}, names=names), Path(), "")


def unknown_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Variables that look like settings and are none, with the one that was probably meant."""
    known = [PROFILE, GPU_HINT, *map(variable, NAMES)]
    return {name: _meant(name, known) for name in sorted(variables) if name.startswith(PREFIX) and name not in known}


def gpu_hint(variables: Mapping[str, str]) -> bool | None:
    """Whether a GPU that is not used is to be mentioned; None where no variable says it. Raises `ProfileError`."""
    text = variables.get(GPU_HINT)
    said = Fields("", {"gpu_hint": text}, names={"gpu_hint": GPU_HINT}).word("gpu_hint", ON_OFF) if text else None
    return None if said is None else said == "on"


def _meant(name: str, known: Sequence[str]) -> str:
    """The longer one that `name` is the start of, or one that is spelled alike; empty where there is none."""
    alike = get_close_matches(name.removeprefix(PREFIX), [each.removeprefix(PREFIX) for each in known], n=1)
    return next((each for each in known if each.startswith(name)), "".join(f"{PREFIX}{each}" for each in alike))


def _typed(name: str, text: str) -> object:
    """What a text means: numbers, or words with blanks between them. Else it is the text, which is refused by name."""
    if name in (*_TEXTS, "dry_sequence_breakers"):
        return text
    if name == "logit_bias":
        return text.split()
    try:
        if name == "tensor_split":
            return [float(share) for share in text.split(",")]
        return float(text) if name in _FLOATS else int(text)
    except ValueError:
        return text
