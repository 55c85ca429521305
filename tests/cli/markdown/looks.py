"""Styled text in a notation that can be read: `{1:bold}`, by the parameters of the escape sequence."""

from specchat.cli.markdown.highlighter import Highlighter
from specchat.cli.markdown.style import merged


def styled(pieces):
    """The spans of a text that comes in these pieces."""
    highlighter = Highlighter()
    spans = [span for piece in pieces for span in highlighter.push(piece)]
    return list(merged([*spans, *highlighter.finish()]))


def look(text):
    return "".join(f"{{{style.sgr}:{part}}}" if style.sgr else part for part, style in styled([text]))
