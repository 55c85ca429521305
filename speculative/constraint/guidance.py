"""Grammars as llguidance reads them; nothing else knows that library, which is imported when it is needed.

https://github.com/guidance-ai/llguidance: derivatives of regular expressions for lexemes, Earley's algorithm above
them, over a trie of the vocabulary.
"""

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import IncompleteError, SpecchatError, UsageError
from .complaints import grammar_error, schema_error
from .forecast import END
from .gbnf import is_gbnf, lark
from .grammar import Grammar
from .matcher import Mask, Matcher

if TYPE_CHECKING:
    from llguidance import LLMatcher, LLTokenizer

_WHITE_SPACE = r"[ ]?|\n{1,2}[ \t]{0,20}"
"""Between the parts of JSON, as in llama.cpp (common/json-schema-to-grammar.cpp): small models never stop otherwise."""

_SCHEMA_HINT = 'A JSON schema is JSON itself, such as {"type": "object"}.'


def check_grammar(grammar: Grammar) -> None:
    """Raise `UsageError` for a grammar that is broken, cannot be met, or asks for what llguidance cannot do.

    The names of a model's own tokens are checked when there is a model.
    """
    _check(grammar, None)
    first = _first(grammar, _byte_tokenizer())
    if not first.is_error():  # else it names tokens of a model
        _check_beginning(grammar, first)


def byte_matchers(grammar: Grammar) -> Callable[[], Matcher] | None:
    """What makes a matcher for each answer over bytes, 0 to 255, and `END`; None for one that names tokens.

    Of a grammar that was checked.
    """
    first = _first(grammar, _byte_tokenizer())
    return None if first.is_error() else lambda: _GuidanceMatcher(first.deep_copy(), END + 1, [END])


def matchers(grammar: Grammar, texts: Sequence[bytes], ends: Collection[int]) -> Callable[[], Matcher]:
    """What makes a matcher for each answer over a vocabulary.

    `texts` are the bytes that each token adds to a text; for one that is no text but a mark, 0xFF and its name. Takes
    about half a second for 150,000 tokens. Raises `UsageError` as `check_grammar` does, and where no token ends texts.
    """
    if not ends:
        raise UsageError("This model has no token that ends an answer.", "Ask it without a JSON schema or a grammar.")
    last = sorted(ends)
    tokenizer = _tokenizer(texts, last)
    _check(grammar, tokenizer)
    first = _first(grammar, tokenizer)
    _check_beginning(grammar, first)
    return lambda: _GuidanceMatcher(first.deep_copy(), len(texts), last)


def _byte_tokenizer() -> "LLTokenizer":
    return _tokenizer([*(bytes([byte]) for byte in range(END)), b"\xff<end>"], [END])


def _tokenizer(texts: Sequence[bytes], ends: Sequence[int]) -> "LLTokenizer":
    library = _library()
    wrapper = library.TokenizerWrapper(_Tokens(texts, ends[0]))
    tokenizer: LLTokenizer = library.LLTokenizer(wrapper, n_vocab=len(texts), eos_token=list(ends))
    return tokenizer


def _first(grammar: Grammar, tokenizer: "LLTokenizer") -> "LLMatcher":
    """A matcher at the beginning, for a grammar that was checked.

    `no_forcing` has it allow every way to cut a text into tokens. Else its masks leave some out that it takes one by
    one, and what is allowed would depend on how that was asked.
    """
    library, options = _library(), {"no_forcing": True}
    if grammar.kind == "JSON schema":
        text = f"start: %json {_schema_text(_parsed(grammar))}\n"
    else:
        text, given = _lark(grammar), re.compile(r"(?m)^%llguidance\s*(\{.*\})[ \t]*$")
        if found := given.search(text):
            text, options = given.sub("", text, count=1), {**json.loads(found[1]), **options}
    compiled = library.LLMatcher.grammar_from_lark(f"%llguidance {json.dumps(options)}\n{text}")
    matcher: LLMatcher = library.LLMatcher(tokenizer, compiled, log_level=0)
    return matcher


def _check_beginning(grammar: Grammar, first: "LLMatcher") -> None:
    """Raise `UsageError` where nothing can be the first token: some grammars go round in circles for ever."""
    tried = first.deep_copy()
    tried.compute_bitmask()
    if tried.is_error() and not first.is_accepting():
        said = tried.get_error().partition("\n")[0].rstrip(".")
        raise UsageError(f"{grammar.name} cannot be used: nothing meets it ({said}).", "Look for rules without an end.")


class _Tokens:
    """What llguidance asks of a tokenizer. It never has to cut a text: tokens that are forced are not asked for."""

    bos_token_id = None
    special_token_ids: Sequence[int] = ()

    def __init__(self, tokens: Sequence[bytes], end: int) -> None:
        self.tokens, self.eos_token_id = tokens, end

    def __call__(self, text: bytes) -> list[int]:
        return []


@dataclass(slots=True)
class _GuidanceMatcher:
    """A matcher of llguidance. Ends are not left to it: it would not take text back that it found ended."""

    matcher: "LLMatcher"
    n_vocab: int
    ends: Sequence[int]

    def allows(self, token: int) -> bool:
        """See `Matcher`; about a microsecond."""
        if token in self.ends:
            return self.matcher.is_accepting()
        allowed = self.matcher.validate_tokens([token]) == 1
        if not allowed and not self.matcher.is_accepting():
            _check_error(self.matcher)
        return allowed

    def mask(self) -> Mask:
        """See `Matcher`; about 0.1 ms for 150,000 tokens."""
        accepting = self.matcher.is_accepting()
        packed = np.frombuffer(self.matcher.compute_bitmask(), np.uint8)
        if not accepting:
            _check_error(self.matcher)
        mask = np.unpackbits(packed, count=self.n_vocab, bitorder="little").view(np.bool_)
        mask[list(self.ends)] = accepting
        return mask

    def move(self, back: int, tokens: Sequence[int]) -> bool:
        """See `Matcher`; about two microseconds a token."""
        if back:
            self.matcher.rollback(back)
        read = self.matcher.try_consume_tokens(list(tokens)) if tokens else 0
        if 0 < read < len(tokens):
            self.matcher.rollback(read)
        _check_error(self.matcher)
        return read == len(tokens)


def _check_error(matcher: "LLMatcher") -> None:
    """Raise `IncompleteError` for a matcher that has given up."""
    if matcher.is_error():
        said = matcher.get_error().partition("\n")[0].rstrip(".")
        raise IncompleteError(f"The grammar cannot be followed any further: {said}.", "A simpler one may help.")


def _library() -> Any:
    try:
        import llguidance
    except (ImportError, OSError) as error:
        raise SpecchatError(f"llguidance cannot be used: {error}", "Install it: pip install llguidance") from error
    return llguidance


def _compiled(grammar: Grammar) -> str:
    """The grammar as llguidance checks it. Raises `UsageError` for bad JSON and bad GBNF."""
    if grammar.kind == "JSON schema":
        return _compiled_schema(_parsed(grammar))
    return str(_library().LLMatcher.grammar_from_lark(_lark(grammar)))


def _lark(grammar: Grammar) -> str:
    if not is_gbnf(grammar.text):
        return grammar.text
    _library()
    from llguidance.gbnf_to_lark import gbnf_to_lark

    return lark(grammar.text, grammar.name, gbnf_to_lark)


def _compiled_schema(schema: Any) -> str:
    return str(_library().LLMatcher.grammar_from_json_schema(_schema_text(schema)))


def _schema_text(schema: Any) -> str:
    """A schema with our white space, unless its own options are about that."""
    if schema is False:
        return '{"enum": []}'
    own = {} if schema is True else schema
    options = own.get("x-guidance", {})
    if isinstance(options, dict) and not {"whitespace_pattern", "whitespace_flexible"} & options.keys():
        own = {**own, "x-guidance": {"whitespace_pattern": _WHITE_SPACE, **options}}
    return json.dumps(own, ensure_ascii=False)


def _parsed(grammar: Grammar) -> Any:
    """The JSON of a schema, an object or a boolean. Raises `UsageError`."""
    try:
        schema = json.loads(grammar.text)
    except json.JSONDecodeError as error:
        said = f"{error.msg[:1].lower()}{error.msg[1:]}"
        message = f"{grammar.name} is no JSON, in line {error.lineno}, column {error.colno}: {said}."
        raise UsageError(message, _SCHEMA_HINT) from error
    except RecursionError as error:
        raise UsageError(f"{grammar.name} is nested too deeply.", "Put parts of it under $defs.") from error
    if not isinstance(schema, dict | bool):
        raise UsageError(f"{grammar.name} is no JSON schema: that is an object.", _SCHEMA_HINT)
    return schema


def _check(grammar: Grammar, tokenizer: "LLTokenizer | None") -> None:
    if not (complaint := _complaint(_compiled(grammar), tokenizer)):
        return
    if grammar.kind == "grammar":
        raise grammar_error(grammar.name, complaint)
    complain: Callable[[Any], str] = lambda schema: _complaint(_compiled_schema(schema), None)  # noqa: E731
    raise schema_error(grammar.name, _parsed(grammar), complaint, complain)


def _complaint(compiled: str, tokenizer: "LLTokenizer | None") -> str:
    failed, said = _library().LLMatcher.validate_grammar_with_warnings(compiled, tokenizer)
    return str(said[0]) if failed else ""
