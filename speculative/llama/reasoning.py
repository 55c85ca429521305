"""Which format of reasoning a model uses, by its template and its vocabulary."""

from collections.abc import Callable

from ..reasoning.formats import FORMATS, ReasoningFormat
from .vocabulary import Vocabulary


def reasoning_format(vocabulary: Vocabulary, template: str | None) -> ReasoningFormat | None:
    """The first format that has a sign in the template, or among the tokens. llama.cpp looks at templates alone."""
    for known in FORMATS:
        if any(sign in (template or "") or _is_token(vocabulary, sign) for sign in known.signs):
            return known
    return None


def _is_token(vocabulary: Vocabulary, text: str) -> bool:
    return len(vocabulary.tokenize(text, parse_special=True)) == 1


def showing_marks(vocabulary: Vocabulary, reasoning: ReasoningFormat) -> Callable[[int], bytes]:
    """The bytes of tokens, with those of the format's marks that are control tokens, which are no text otherwise."""
    shown: dict[int, bytes] = {}
    for mark in reasoning.marks:
        tokens = vocabulary.tokenize(mark, parse_special=True)
        shown |= {token: vocabulary.text(token) for token in tokens if not vocabulary.piece(token)}
    return lambda token: shown.get(token) or vocabulary.piece(token)
