"""What emphasis is open."""

from dataclasses import dataclass, field

from .limits import MOST_OPEN
from .style import EMPHASIS, PLAIN, STRONG, Style


@dataclass(slots=True)
class _Opener:
    """A run of marks that opened something, of which some may be closed again."""

    mark: str
    size: int
    both: bool
    """Whether it could have closed something, too."""
    left: int


@dataclass(slots=True)
class Emphasis:
    """The runs of `*` and `_` that are open, the outermost first: CommonMark's stack of delimiters."""

    _open: list[_Opener] = field(default_factory=list)

    @property
    def style(self) -> Style:
        """How text looks inside of all of them."""
        style = PLAIN
        for opener in self._open:
            style = style | (STRONG if opener.left >= 2 else PLAIN) | (EMPHASIS if opener.left % 2 else PLAIN)
        return style

    def open(self, mark: str, size: int, both: bool) -> None:
        """Open with a run of `size` marks."""
        self._open.append(_Opener(mark, size, both, size))
        del self._open[:-MOST_OPEN]

    def close(self, mark: str, size: int, both: bool) -> int:
        """Close with a run of `size` marks what they match; returns how many of them match nothing."""
        left = size
        while left and (place := self._match(mark, size, both)) is not None:
            del self._open[place + 1 :]
            opener = self._open[place]
            used = 2 if left >= 2 and opener.left >= 2 else 1
            opener.left -= used
            left -= used
            if not opener.left:
                self._open.pop()
        return left

    def _match(self, mark: str, size: int, both: bool) -> int | None:
        """The innermost run that these marks can close. Sums of three would break what is nested up otherwise."""
        for place, opener in reversed(list(enumerate(self._open))):
            threes = (both or opener.both) and (size + opener.size) % 3 == 0 and bool(size % 3 or opener.size % 3)
            if opener.mark == mark and not threes:
                return place
        return None
