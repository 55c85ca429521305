"""The numbers of an architecture, which stand in a header once for all layers or once for each."""

from dataclasses import dataclass

from .header import GgufHeader
from .values import GgufArray

_MOST_LAYERS = 512
"""`LLAMA_MAX_LAYERS` in llama-hparams.h."""


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """Those of one header, by the part of their keys after the architecture."""

    header: GgufHeader

    @property
    def architecture(self) -> str:
        """What llama.cpp calls it."""
        return self.header.text("general.architecture") or ""

    @property
    def layers(self) -> int:
        """All layers, as `-ngl` counts them; 0 where there is no such number."""
        count = self.number("block_count")
        return count if count <= _MOST_LAYERS else 0

    @property
    def used_layers(self) -> int:
        """Those that text goes through: the last ones may only guess tokens further on."""
        return max(0, self.layers - self.number("nextn_predict_layers"))

    def number(self, key: str, otherwise: int = 0) -> int:
        """The whole number under a key; of several the first."""
        return int(self.real(key, otherwise))

    def real(self, key: str, otherwise: float = 0) -> float:
        """The same, whole or not."""
        value = self._value(key)
        if isinstance(value, GgufArray):
            value = next(iter(value.numbers()), otherwise)
        return value if isinstance(value, int | float) and 0 <= value < 2**32 else otherwise

    def text(self, key: str) -> str | None:
        """What is under a whole key, as text; None where there is nothing."""
        value = self.header.metadata.get(key)
        return None if value is None else str(value)

    def has(self, key: str) -> bool:
        """Whether there is anything under a key."""
        return self._value(key) is not None

    def numbers(self, key: str, otherwise: int = 0) -> tuple[int, ...]:
        """The numbers of all layers under a key."""
        value, count = self._value(key), max(1, self.layers)
        if not isinstance(value, GgufArray):
            return (self.number(key, otherwise),) * count
        found = [max(0, int(number)) for number in value.numbers()][:count]
        return (*found, *(otherwise for _ in range(count - len(found))))

    def _value(self, key: str) -> object:
        return self.header.metadata.get(f"{self.architecture}.{key}")
