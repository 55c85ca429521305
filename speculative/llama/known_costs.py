"""What passes of models cost, as earlier runs found out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cache import Cache
from ..costs import CostCurve
from ..measuring import measure_costs
from .config import LlamaConfig
from .identity import loaded_identity
from .model import LlamaModel

_LONGEST = 1 << 20
_QUICKEST, _SLOWEST = 1e-6, 3600.0


@dataclass(slots=True)
class KnownCosts:
    """Cost curves: known from earlier runs, learned in this one, and saved for the next."""

    cache: Cache
    _curves: dict[str, CostCurve] = field(default_factory=dict)

    def of(self, file: str, config: LlamaConfig) -> CostCurve:
        """The curve of a file, by its identity, as it is loaded by `config`, always the same object.

        It is empty if nothing is known yet.
        """
        key = loaded_identity(file, config)
        if key not in self._curves:
            self._curves[key] = _curve(self.cache.load(key))
        return self._curves[key]

    def measure(self, model: LlamaModel, lengths: Sequence[int]) -> None:
        """Measure passes of those of the `lengths` that are not known. The model's cache is empty afterwards."""
        curve = self.of(model.identity, model.config)
        possible = [length for length in lengths if length <= min(model.n_ctx, model.n_batch)]
        if missing := [length for length in possible if length not in curve.measured]:
            curve.add(measure_costs(model, missing, model.vocabulary.eos or 0, model.max_rows))

    def save(self) -> None:
        """Keep what was learned."""
        for key, curve in self._curves.items():
            if curve:
                self.cache.save(key, dict(curve.snapshot()))


def _curve(value: Any) -> CostCurve:
    """The curve in a cached value; an empty one if that cannot be true."""
    try:
        figures = {int(length): seconds for length, seconds in value.items()}
    except (ValueError, AttributeError):
        return CostCurve()
    return CostCurve(figures if all(_is_plausible(*figure) for figure in figures.items()) else {})


def _is_plausible(length: int, seconds: object) -> bool:
    """Whether a pass over so many tokens can have taken so long; `seconds` is whatever the file says."""
    return 1 <= length <= _LONGEST and isinstance(seconds, float) and _QUICKEST <= seconds <= _SLOWEST
