"""Which draft lengths a pair uses, and what it knows of its costs from earlier runs."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import llama_cpp

from ..adaptive import AdaptiveLength
from ..cost_store import CostStore
from ..costs import CostCurve
from ..draft_length import DraftLength, FixedLength
from ..drafting import Drafter, ModelDrafter, NoDrafter
from ..measuring import DRAFT_LENGTHS, TARGET_LENGTHS, measure_costs
from .model import LlamaModel
from .pair_config import PairConfig
from .threads import default_threads

_FOR_REJECTION = 4


@dataclass(slots=True)
class KnownCosts:
    """The cost curves of loaded models: of earlier runs, or measured now, and saved for the next run."""

    store: CostStore | None
    _curves: dict[str, CostCurve] = field(default_factory=dict)

    def of(self, model: LlamaModel, lengths: Sequence[int]) -> CostCurve:
        """The curve of a model, by passes of those of the `lengths` that it can compute."""
        key = cost_key(model)
        known = self.store.load(key) if self.store else None
        fitting = [length for length in lengths if length <= model.n_ctx]
        self._curves[key] = known or measure_costs(model, fitting, model.vocabulary.eos or 0, model.max_rows)
        return self._curves[key]

    def save(self) -> None:
        """Keep what was learned."""
        for key, curve in self._curves.items():
            if self.store:
                self.store.save(key, curve)


def lengths_for(config: PairConfig, target: LlamaModel, drafter: Drafter, costs: KnownCosts) -> DraftLength:
    """Adaptive lengths, unless one is fixed or nothing drafts.

    Under rejection the text depends on how much is drafted. For a seed to give one text, time must have no say there.
    """
    if isinstance(drafter, NoDrafter):
        return FixedLength(0)
    if config.draft_length is not None:
        return FixedLength(config.draft_length)
    if config.verification == "rejection":
        return FixedLength(min(config.draft_max, _FOR_REJECTION))
    draft = drafter.model if isinstance(drafter, ModelDrafter) else None
    return AdaptiveLength(
        target_costs=costs.of(target, [length for length in TARGET_LENGTHS if length <= target.max_rows]),
        draft_costs=costs.of(draft, DRAFT_LENGTHS) if isinstance(draft, LlamaModel) else None,
        most=config.draft_max,
    )


def cost_key(model: LlamaModel) -> str:
    """What a cost depends on: the file, the machine, the build, and how the model is loaded."""
    state = model.path.stat()
    file = f"{model.path.resolve()} {state.st_size} {state.st_mtime_ns}"
    build = f"{llama_cpp.__version__} {llama_cpp.llama_print_system_info().decode(errors='replace')}"
    settings = replace(model.config, threads=model.config.threads or default_threads(), verbose=False)
    return f"{file} | {platform.node()} | {build} | {settings}"
