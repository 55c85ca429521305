"""How a piece of text looks: with nothing but what is legible on light and on dark backgrounds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Weight, slant, and one of the terminal's own colours, which its owner chose; never a background."""

    bold: bool = False
    italic: bool = False
    dim: bool = False
    color: str = ""
    """The parameter of SGR, 31 to 36."""

    def __or__(self, other: "Style") -> "Style":
        """Both; of two colours the other's."""
        bold, italic, dim = self.bold or other.bold, self.italic or other.italic, self.dim or other.dim
        return Style(bold, italic, dim, other.color or self.color)

    @property
    def sgr(self) -> str:
        """The parameters of the escape sequence; empty for plain text."""
        parameters = ("1" if self.bold else "", "2" if self.dim else "", "3" if self.italic else "", self.color)
        return ";".join(filter(None, parameters))


Span = tuple[str, Style]

PLAIN = Style()
THOUGHT = Style(dim=True)
HEADING = STRONG = Style(bold=True)
EMPHASIS = Style(italic=True)
MARK = Style(dim=True)
"""Quote marks, fences, rules, the bars of tables."""
BULLET = Style(color="36")
LINK = Style(color="36")
CODE = Style(color="35")


def merged(spans: Iterable[Span]) -> Iterator[Span]:
    """The same text in as few spans as possible, none of them empty."""
    text, style = "", PLAIN
    for more, its_style in spans:
        if more and its_style != style:
            if text:
                yield text, style
            text, style = "", its_style
        text += more
    if text:
        yield text, style
