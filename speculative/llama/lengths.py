"""Which draft lengths a pair uses."""

from pathlib import Path

from ..adaptive import AdaptiveLength, sources
from ..costs import CostCurve
from ..draft_length import DraftLength, FixedLength
from ..drafting import FORM, MODEL, NGRAM
from ..model_file import file_identity
from .known_costs import KnownCosts
from .model import LlamaModel
from .pair_config import PairConfig

_FOR_REJECTION = 4
_SMALL_IS_SLOW = 1.5
"""By so much a pass of a small model takes longer than its size says."""


def step_share(draft_size: int, target_size: int) -> float:
    """The share of a pass of the target over one token that a step of a draft takes, as far as sizes in bytes tell."""
    return _SMALL_IS_SLOW * draft_size / target_size


def lengths_for(config: PairConfig, target: LlamaModel, costs: KnownCosts) -> DraftLength:
    """Adaptive lengths where they may adapt, otherwise fixed ones."""
    if config.draft == "none":
        return FixedLength(0)
    if not config.adapts:
        fixed = config.draft_length
        return FixedLength(min(config.draft_max, _FOR_REJECTION) if fixed is None else fixed)
    names = [NGRAM, *([FORM] if config.grammar else [])]
    draft_costs, share = CostCurve(), 0.0
    if isinstance(config.draft, Path):
        names.append(MODEL)
        draft_costs = costs.of(file_identity(config.draft), config.draft_settings(target.n_ctx))
        share = step_share(config.draft.stat().st_size, target.size)
    return AdaptiveLength(
        costs.of(target.identity, target.config),
        sources(names, draft_costs, share),
        config.draft_max,
        setback=0.0 if target.takes_back(config.draft_max) else 1.0,
    )
