"""How the parts of a program look."""

from functools import cache
from typing import TYPE_CHECKING

from .style import MARK, PLAIN, Style

if TYPE_CHECKING:
    from pygments.token import _TokenType

_MAGENTA, _GREEN, _CYAN, _RED = (Style(color=color) for color in ("35", "32", "36", "31"))
_BOLD = Style(bold=True)

_STYLES = {
    "Comment": MARK,
    "Comment.Preproc": _MAGENTA,
    "Comment.PreprocFile": _GREEN,
    "Keyword": _MAGENTA,
    "Keyword.Constant": _CYAN,
    "Keyword.Type": _CYAN,
    "Operator.Word": _MAGENTA,
    "Name.Tag": _MAGENTA,
    "Name.Builtin": _CYAN,
    "Name.Builtin.Pseudo": PLAIN,
    "Name.Decorator": _CYAN,
    "Name.Function": _BOLD,
    "Name.Class": _BOLD,
    "Literal.String": _GREEN,
    "Literal.Number": _CYAN,
    "Generic.Inserted": _GREEN,
    "Generic.Deleted": _RED,
    "Generic.Heading": _BOLD,
    "Generic.Subheading": _BOLD,
    "Generic.Prompt": MARK,
    "Generic.Output": PLAIN,
}


@cache
def style_of(kind: "_TokenType") -> Style:
    """The style of a kind of token of Pygments, or of the next kind above it that has one."""
    names = [str(part).removeprefix("Token.") for part in kind.split()]
    return next((_STYLES[name] for name in reversed(names) if name in _STYLES), PLAIN)


def is_text(kind: "_TokenType") -> bool:
    """Whether it is a string or a comment, which may go on for lines."""
    return str(kind).startswith(("Token.Literal.String", "Token.Comment"))
