"""The vocabulary of a model, as grammars see it."""

from collections.abc import Callable

from ..constraint.forecast import Forecast
from ..constraint.grammar import Grammar
from ..constraint.guidance import byte_matchers, matchers
from ..constraint.matcher import Matcher
from .vocabulary import Vocabulary


def constraint_on(vocabulary: Vocabulary, grammar: Grammar | None) -> Callable[[], Matcher] | None:
    """What holds answers of a model to a form; None without one. Raises `UsageError` where it cannot be used.

    A token stands for the bytes that it adds to a text, as `Vocabulary.piece` has them. Those that add none, control
    tokens above all, stand for nothing but themselves, and are spelled in Lark as `<|im_start|>`; so does the byte
    0xFF, which is in no text.
    """
    if grammar is None:
        return None
    pieces = ((token, vocabulary.piece(token)) for token in range(vocabulary.n_tokens))
    texts = [piece if piece and piece[0] != 0xFF else _named(vocabulary, token) for token, piece in pieces]
    return matchers(grammar, texts, vocabulary.end_tokens)


def forecasts_on(vocabulary: Vocabulary, grammar: Grammar | None) -> Callable[[], Forecast] | None:
    """What says for an answer of a model what its form leaves no choice about; None where nothing can."""
    make = None if grammar is None else byte_matchers(grammar)
    if grammar is None or make is None or vocabulary.eos is None:
        return None
    is_json, end = grammar.kind == "JSON schema", vocabulary.eos
    return lambda: Forecast(make(), vocabulary.continue_with, vocabulary.piece, end, is_json)


def _named(vocabulary: Vocabulary, token: int) -> bytes:
    return b"\xff" + (vocabulary.text(token) or f"<{token}>".encode())
