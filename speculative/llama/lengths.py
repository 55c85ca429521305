"""Which draft lengths a pair uses, and what it knows of its costs from earlier runs."""

from collections.abc import Sequence

import llama_cpp

from ..adaptive import AdaptiveLength
from ..cost_store import CostStore
from ..costs import CostCurve
from ..decoder import SpeculativeDecoder
from ..draft_length import DraftLength, FixedLength
from ..drafting import Drafter, ModelDrafter, NoDrafter
from ..measuring import DRAFT_LENGTHS, TARGET_LENGTHS, measure_costs
from ..pair import PairConfig
from .model import LlamaModel


def lengths_for(config: PairConfig, target: LlamaModel, drafter: Drafter) -> DraftLength:
    """Adaptive lengths, unless one is fixed or nothing drafts."""
    if isinstance(drafter, NoDrafter):
        return FixedLength(0)
    if config.draft_length is not None:
        return FixedLength(config.draft_length)
    store, draft = _store(config), drafting_model(drafter)
    return AdaptiveLength(
        target_costs=_costs(store, target, [length for length in TARGET_LENGTHS if length <= target.max_rows]),
        draft_costs=_costs(store, draft, DRAFT_LENGTHS) if draft else None,
        most=config.draft_max,
        may_drop=config.verification == "coupled",
    )


def remember_costs(config: PairConfig, target: LlamaModel, decoder: SpeculativeDecoder) -> None:
    """Keep for the next run what this one has learned of its costs."""
    store, length = _store(config), decoder.draft_length
    if store is None or not isinstance(length, AdaptiveLength):
        return
    store.save(cost_key(target), length.target_costs)
    draft = drafting_model(decoder.drafter)
    if draft and length.draft_costs:
        store.save(cost_key(draft), length.draft_costs)


def drafting_model(drafter: Drafter) -> LlamaModel | None:
    """The draft model, where there is one."""
    model = drafter.model if isinstance(drafter, ModelDrafter) else None
    return model if isinstance(model, LlamaModel) else None


def _store(config: PairConfig) -> CostStore | None:
    return CostStore(config.costs_folder) if config.costs_folder else None


def _costs(store: CostStore | None, model: LlamaModel, lengths: Sequence[int]) -> CostCurve:
    """The curve of earlier runs, or one that is measured now."""
    known = store.load(cost_key(model)) if store else None
    return known or measure_costs(model, lengths, model.vocabulary.eos or 0, model.max_rows)


def cost_key(model: LlamaModel) -> str:
    """Everything that a cost depends on: the file, the build, and how both are set."""
    state = model.path.stat()
    file = f"{model.path.resolve()} {state.st_size} {state.st_mtime_ns}"
    build = f"{llama_cpp.__version__} {llama_cpp.llama_print_system_info().decode(errors='replace')}"
    return f"{file} | {build} | {model.config}"
