"""Characters as people see them: an emoji of several code points, a letter with its accents."""

from itertools import islice

from wcwidth import iter_graphemes, iter_graphemes_reverse

_FAR = 256
"""Code points that are looked at: no character has as many."""


def length_before(text: str, count: int) -> int:
    """The code points of the last `count` characters of a line."""
    line = text[text.rfind("\n") + 1 :]
    return sum(map(len, islice(iter_graphemes_reverse(line[-_FAR * count :]), count)))


def length_after(text: str, count: int) -> int:
    """The code points of the first `count` characters of a line."""
    line = text.partition("\n")[0]
    return sum(map(len, islice(iter_graphemes(line[: _FAR * count]), count)))
