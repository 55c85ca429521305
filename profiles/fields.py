"""Values out of a YAML mapping or the environment, with errors that name the file, the line and the key."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .errors import ProfileError, choose_from

_LARGEST = 2**31 - 1
"""Of what llama.cpp counts with."""
_SHOWN = 80
"""Characters of a value that an error repeats."""


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping in `origin` (a file's name); mappings inside it are `Fields` too.

    `lines` are those of the keys in a file; where there is none, `names` says how a key was spelled.
    """

    origin: str
    values: Mapping[object, object]
    lines: Mapping[object, int] = field(default_factory=dict)
    names: Mapping[object, str] = field(default_factory=dict)

    def only(self, known: Sequence[str]) -> None:
        """Raise `ProfileError` for the first key that is not among `known`, or has no value."""
        for key, value in self.values.items():
            if key not in known:
                name = _shown(key, str)
                raise ProfileError(f"{self.place(key)}: there is no setting called {name}.", choose_from(name, known))
            if value is None:
                hint = "Write one behind the colon, or take the line out."
                raise ProfileError(f"{self.place(key)}: {key} has no value.", hint)

    def text(self, key: str) -> str | None:
        """A string."""
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        raise self.wrong(key, "a text", "Put it in quotation marks.")

    def word(self, key: str, words: Sequence[str]) -> str | None:
        """One of `words`."""
        value = self.values.get(key)
        if isinstance(value, bool):  # YAML takes on and off for these
            value = "on" if value else "off"
        if value is None or (isinstance(value, str) and value in words):
            return value
        raise self.wrong(key, f"one of {', '.join(words)}", choose_from(str(value)[:_SHOWN], words))

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of strings, none of them empty; a single string is a list of one."""
        value = self.values.get(key)
        if value is None:
            return None
        found = value if isinstance(value, list) else [value]
        texts = tuple(item for item in found if isinstance(item, str) and item)
        if len(texts) != len(found):
            raise self.wrong(key, "a list of texts", "Put each in quotation marks; none may be empty.")
        return texts

    def integer(self, key: str, least: int) -> int | None:
        """A whole number, `least` or more, that llama.cpp can count with."""
        value = self.values.get(key)
        if value is None or (type(value) is int and least <= value <= _LARGEST):
            return value
        raise self.wrong(key, f"a whole number from {least} to {_LARGEST}")

    def chosen(self, key: str, least: int) -> int | Literal["auto"] | None:
        """Such a number, or the word that leaves it open."""
        if self.values.get(key) == "auto":
            return "auto"
        try:
            return self.integer(key, least)
        except ProfileError:
            raise self.wrong(key, f"auto, or a whole number from {least} to {_LARGEST}") from None

    def layers(self, key: str) -> int | Literal["auto"] | None:
        """A number of layers, the word that leaves it open, or the one for all of them, which is -1."""
        if self.values.get(key) == "all":
            return -1
        try:
            return self.chosen(key, -1)
        except ProfileError:
            raise self.wrong(key, f"auto, all, or a whole number from 0 to {_LARGEST}") from None

    def experts(self, key: str) -> int | Literal["auto"] | None:
        """A number of layers whose experts stay in main memory: on is all of them, which is -1, and off none."""
        words = {True: -1, False: 0, "on": -1, "off": 0, "all": -1}
        value = self.values.get(key)
        if isinstance(value, bool | str) and value in words:
            return words[value]
        try:
            return self.chosen(key, -1)
        except ProfileError:
            raise self.wrong(key, f"on, off, auto, or a whole number from 0 to {_LARGEST}") from None

    def number(self, key: str) -> float | None:
        """A number."""
        value = self.values.get(key)
        if value is None or type(value) is float or (type(value) is int and abs(value) <= _LARGEST):
            return value
        raise self.wrong(key, "a number such as 0.8")

    def numbers(self, key: str) -> tuple[float, ...] | None:
        """A list of numbers; a single number is a list of one."""
        value = self.values.get(key)
        if value is None:
            return None
        found = value if isinstance(value, list) else [value]
        numbers = tuple(
            item
            for item in found
            if isinstance(item, int | float) and not isinstance(item, bool) and abs(item) <= _LARGEST
        )
        if len(numbers) != len(found):
            raise self.wrong(key, "a list of numbers, such as [3, 1]")
        return numbers

    def mapping(self, key: str) -> "Fields":
        """A mapping inside this one; an absent one is empty."""
        value = self.values.get(key)
        if value is None:
            return Fields(self.origin, {})
        if isinstance(value, Fields):
            return value
        raise self.wrong(key, "a mapping", f"Write one indented `name: value` a line under {key}:")

    def place(self, key: object) -> str:
        """Where `key` stands: its file and line, or the variable that it was read from."""
        if key in self.names:
            return self.names[key]
        return f"{self.origin}, line {self.lines[key]}" if key in self.lines else self.origin

    def wrong(self, key: str, wanted: str, hint: str = "") -> ProfileError:
        """What to raise for a value that is not what it has to be."""
        subject = self.names[key] if key in self.names else f"{self.place(key)}: {key}"
        return ProfileError(f"{subject} is {_shown(self.values[key])}, but has to be {wanted}.", hint)


def _shown(value: object, spell: Callable[[object], str] = repr) -> str:
    """As much of a value as fits in a sentence."""
    match value:
        case Fields():
            return "a mapping"
        case list():
            return "a list"
        case bool():
            return str(value).lower()
    try:
        text = spell(value)
    except ValueError:  # Python spells no number of thousands of digits
        return "a huge number"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
