"""Loading with less, where a model does not fit the memory as it was to be loaded."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ..errors import OutOfMemoryError
from .config import LlamaConfig
from .outline import outline
from .rungs import GivesWay, Outline, rungs

Loaded = TypeVar("Loaded")


@dataclass(frozen=True, slots=True)
class Stepping(Generic[Loaded]):
    """Loads a model of the file at `path` by `load`, with as much of what was asked as fits the memory.

    `tell` gets a sentence about what is less. `look` says what there is to be less of, which is asked only then.
    """

    path: Path
    load: Callable[[LlamaConfig], Loaded]
    tell: Callable[[str], None]
    look: Callable[[Path, LlamaConfig], Outline] = outline

    def down(self, config: LlamaConfig, gives_way: GivesWay) -> Loaded:
        """By `config`, or else by the first of its rungs that fits. Raises what `load` raises."""
        found = self._tried(config)
        if isinstance(found, OutOfMemoryError):
            model = self.look(self.path, config)
            for less in rungs(config, model, gives_way):
                found = self._tried(less)
                if not isinstance(found, OutOfMemoryError):
                    self.tell(self._told(config, less, model))
                    return found
            raise found
        return found

    def _tried(self, config: LlamaConfig) -> Loaded | OutOfMemoryError:
        try:
            return self.load(config)
        except OutOfMemoryError as error:
            return error

    def _told(self, asked: LlamaConfig, found: LlamaConfig, model: Outline) -> str:
        less = []
        if found.cpu_moe != asked.cpu_moe and found.layers_apart(model.layers):
            less.append("all its experts are in main memory")
        if found.n_gpu_layers != asked.n_gpu_layers:
            less.append(f"{found.n_gpu_layers or 'none'} of its {model.layers} layers are on devices")
        if found.n_ctx != asked.n_ctx:
            less.append(f"its context is {found.n_ctx:,} tokens")
        return f"There is not enough memory for {self.path.stem} as it was to be loaded: {' and '.join(less)}."
