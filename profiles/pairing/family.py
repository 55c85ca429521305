"""What the name of a model says of its family and its size, as those who publish models write it."""

import re
from dataclasses import dataclass

_SIZE = re.compile(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d+)?)([bm])(?![a-z0-9])")
_UNITS = {"b": 1e9, "m": 1e6}
_GAPS = re.compile(r"[\s_]+")
_MAKERS = re.compile(r"^(?:deepseek-ai|google|ibm-granite|meta|microsoft|mistralai|nvidia|qwen)-(?=[a-z])")
"""Who made a model, as some put it before the name: Meta-Llama-3.1 is Llama-3.1."""


@dataclass(frozen=True, slots=True)
class Kin:
    """A family, such as `qwen2.5-coder`, and a number of parameters in it."""

    family: str
    parameters: float


def kin_of(name: str) -> Kin | None:
    """The family and the size in the name of a model or a repository; None where it says neither."""
    plain = _MAKERS.sub("", _GAPS.sub("-", name.rpartition("/")[2].lower()))
    match = _SIZE.search(plain)
    family = plain[: match.start()].strip("-") if match else ""
    return Kin(family, float(match[1]) * _UNITS[match[2]]) if match and family else None
