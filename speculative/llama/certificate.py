"""Settings that were found to be exact, as they are kept and applied."""

from dataclasses import dataclass, replace
from typing import Any

from ..errors import UsageError
from .config import LlamaConfig
from .pair_config import DEFAULT_DRAFT_MAX

LONGEST = DEFAULT_DRAFT_MAX + 1
"""The longest pass that drafting uses, unless it is told otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Settings under which passes over `least` to `most` tokens were measured to agree, and what they cost.

    The costs are multiples of those without `--exact`: of a plain pass, and of a token in the best pass. `context` is
    the longest that was measured.
    """

    cache_type_k: str
    cache_type_v: str
    repack: bool
    tiled: bool
    least: int
    most: int
    context: int
    plain_cost: float
    drafted_cost: float

    def changes(self, config: LlamaConfig) -> list[str]:
        """What is other than in `config` and may change texts, in words."""
        caches = (self.cache_type_k, self.cache_type_v)
        known = {
            f"a K cache of {self.cache_type_k} and a V cache of {self.cache_type_v}": caches
            != (config.cache_type_k, config.cache_type_v),
            "weights laid out as in the file": self.repack != config.repack,
            "kernels that multiply row by row": self.tiled != config.tiled,
            "two tokens in a pass where there would be one": self.least != config.min_pass,
        }
        return [change for change, made in known.items() if made]

    def applied(self, config: LlamaConfig) -> LlamaConfig:
        """The settings of `config`, exact."""
        return replace(
            config,
            cache_type_k=self.cache_type_k,
            cache_type_v=self.cache_type_v,
            repack=self.repack,
            tiled=self.tiled,
            min_pass=self.least,
        )


def certificate_from(value: Any) -> Certificate | None:
    """The certificate in a cached value; None if that cannot be true."""
    try:
        found = Certificate(**value)
        LlamaConfig(cache_type_k=found.cache_type_k, cache_type_v=found.cache_type_v, min_pass=found.least)
        plausible = 1 <= found.least < found.most <= LONGEST and found.plain_cost + found.drafted_cost > 0
    except (TypeError, UsageError):
        return None
    return found if plausible else None
