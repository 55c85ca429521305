"""Private-use characters that stand in for what must not be read as a special token."""

from collections.abc import Iterable, Iterator

_PRIVATE_USE = ((0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD))


class Marks:
    """Texts that make special tokens, and all their beginnings and ends, by which a neighbour could complete one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._beginnings = {text[:length] for text in self.texts for length in range(1, len(text))}
        self._ends = {text[-length:] for text in self.texts for length in range(1, len(text))}
        self._reach = max(map(len, self.texts), default=1)

    def split(self, text: str) -> tuple[str, str, str]:
        """`text` in three parts, of which the first could end a mark and the last begin one; both may be empty."""
        end = self._longest(text[-length:] for length in range(1, self._reach) if text[-length:] in self._beginnings)
        text = text[: len(text) - len(end)]
        start = self._longest(text[:length] for length in range(1, self._reach) if text[:length] in self._ends)
        return start, text[len(start) :], end

    def _longest(self, parts: Iterable[str]) -> str:
        return max(parts, key=len, default="")


class StandIns:
    """Replaces in messages what could be read as a special token by characters that occur in none of `texts`."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._free = _unused_characters(frozenset("".join(texts)))
        self._characters: dict[str, str] = {}

    @property
    def used(self) -> bool:
        """Whether anything was replaced."""
        return bool(self._characters)

    def replace(self, text: str, marks: Marks) -> str:
        """The text with stand-ins in it."""
        for mark in marks.texts:
            if mark in text:
                text = text.replace(mark, self._character(mark))
        start, middle, end = marks.split(text)
        return self._character(start) + middle + self._character(end)

    def restore(self, text: str) -> str:
        """The text with every stand-in replaced by what it stands for."""
        return text.translate({ord(character): original for original, character in self._characters.items()})

    def _character(self, text: str) -> str:
        if not text:
            return ""
        if text not in self._characters:
            self._characters[text] = next(self._free)
        return self._characters[text]


def _unused_characters(used: frozenset[str]) -> Iterator[str]:
    for first, last in _PRIVATE_USE:
        yield from (chr(code) for code in range(first, last + 1) if chr(code) not in used)
