"""How a draft fits its target, kept between runs, so that it need not be loaded before it is wanted."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import llama_cpp

from ..cache import Cache
from ..compatibility import Compatibility
from ..model_file import file_identity
from .model import LlamaModel

_RULES = 1
"""Grows when vocabularies are compared by other rules: what was found by the old ones is forgotten."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How the vocabularies compare, how long a context the draft knows, and the seconds that loading it takes."""

    compatibility: Compatibility
    n_ctx_train: int
    seconds: float


def fit_key(target: LlamaModel, draft: Path) -> str:
    """What a fit depends on: two files as they are now, the build, and our rules."""
    return f"{target.identity} | {file_identity(draft)} | {llama_cpp.__version__} | {_RULES}"


def known_fit(cache: Cache, key: str, n_vocab: int) -> Fit | None:
    """The fit of a draft as an earlier run found it, for a target of `n_vocab` tokens."""
    fit = _fit(cache.load(key))
    return fit if fit and fit.compatibility.limit <= n_vocab else None


def keep_fit(cache: Cache, key: str, fit: Fit) -> None:
    """Keep the fit of a draft for the next run."""
    cache.save(key, asdict(fit))


def _fit(value: Any) -> Fit | None:
    """The fit in a cached value; None if that cannot be true."""
    try:
        found = value["compatibility"]
        warnings, forbidden, limit = (found[name] for name in ("warnings", "forbidden", "limit"))
        n_ctx_train, seconds = value["n_ctx_train"], value["seconds"]
    except (KeyError, TypeError):
        return None
    plausible = (
        isinstance(warnings, list)
        and isinstance(forbidden, list)
        and all(isinstance(warning, str) for warning in warnings)
        and all(type(number) is int and number > 0 for number in (limit, n_ctx_train))
        and all(type(token) is int and 0 <= token < limit for token in forbidden)
        and isinstance(seconds, float)
        and 0 <= seconds < float("inf")
    )
    return Fit(Compatibility(tuple(warnings), tuple(forbidden), limit), n_ctx_train, seconds) if plausible else None
