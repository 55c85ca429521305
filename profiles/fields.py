"""Values out of a YAML mapping, with errors that name the file and the key."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .errors import ProfileError, choose_from

_LARGEST = 2**31 - 1
"""Of what llama.cpp counts with."""
_SHOWN = 80
"""Characters of a value that an error repeats."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The mapping in `origin` (a file's name); an absent key and an empty value both read as None."""

    origin: str
    values: Mapping[str, object]

    def only(self, known: list[str]) -> None:
        """Raise `ProfileError` for the first key that is not among `known`."""
        for key in self.values:
            if key not in known:
                name = _shown(key, str)
                raise ProfileError(f"{self.origin}: there is no setting called {name}.", choose_from(name, known))

    def text(self, key: str) -> str | None:
        """A string."""
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self._wrong(key, "a text", "Put it in quotation marks.")

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings, none of them empty; a single string is a list of one."""
        value = self.values.get(key)
        found = [] if value is None else value if isinstance(value, list) else [value]
        texts = tuple(item for item in found if isinstance(item, str) and item)
        if len(texts) != len(found):
            raise self._wrong(key, "a list of texts", "Put each in quotation marks; none may be empty.")
        return texts

    def integer(self, key: str, least: int) -> int | None:
        """A whole number, `least` or more, that llama.cpp can count with."""
        value = self.values.get(key)
        if value is None or (type(value) is int and least <= value <= _LARGEST):
            return value
        raise self._wrong(key, f"a whole number from {least} to {_LARGEST}")

    def number(self, key: str, kind: type) -> float:
        """A number, whole if `kind` is int."""
        value = self.values.get(key)
        if (type(value) is int and abs(value) <= _LARGEST) or (type(value) is float and kind is float):
            return value
        raise self._wrong(key, f"a whole number up to {_LARGEST}" if kind is int else "a number such as 0.8")

    def mapping(self, key: str) -> "Fields":
        """A mapping inside this one."""
        value = self.values.get(key)
        if value is None:
            return Fields(self.origin, {})
        if isinstance(value, dict):
            return Fields(self.origin, value)
        raise self._wrong(key, "a mapping", f"Write one indented `name: value` a line under {key}:")

    def _wrong(self, key: str, wanted: str, hint: str = "") -> ProfileError:
        return ProfileError(f"{self.origin}: {key} is {_shown(self.values[key])}, but has to be {wanted}.", hint)


def _shown(value: object, spell: Callable[[object], str] = repr) -> str:
    """As much of a value as fits in a sentence."""
    try:
        text = spell(value)
    except ValueError:  # Python spells no number of thousands of digits
        return "a huge number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
