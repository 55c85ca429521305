"""The tokens in a header, as llama.cpp would have them once the model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass

from specchat.speculative.compatibility import TokenTable
from specchat.speculative.errors import ModelLoadError
from specchat.speculative.kinds import check_kind

from .facts import model_kind
from .header import GgufHeader, shortened
from .marks import INFILL, OLD_NAMES
from .special import special_tokens
from .tokenizers import BPE, NO_BOS, TOKENIZERS, Tokenizer

_KEYS = "tokenizer.ggml."
_INT32 = 5


@dataclass(frozen=True, slots=True)
class HeaderVocabulary:
    """A vocabulary that can be compared with that of a loaded model, or of another header."""

    table: TokenTable


def vocabulary(header: GgufHeader) -> HeaderVocabulary:
    """The vocabulary of a model that continues text. Raises `ModelLoadError`, as loading the model would."""
    check_kind(header.name, model_kind(header))
    return HeaderVocabulary(token_table(header))


def token_table(header: GgufHeader) -> TokenTable:
    """The same table that comes of loading the model. Raises `ModelLoadError` where that would fail."""
    tokenizer = _tokenizer(header)
    tokens = header.array(f"{_KEYS}tokens")
    spelled = (text.partition(b"\0")[0] for text in (tokens.texts() if tokens else ()))  # C's strings end there
    texts = [text or b"[EMPTY_%d]" % token for token, text in enumerate(spelled)]
    if not texts:
        raise _unloadable(header, "it has no tokens")
    ids = {text: token for token, text in enumerate(texts)}
    if len(ids) < len(texts):  # llama.cpp would end the process
        raise _unloadable(header, "two of its tokens have the same text")
    named = _named_tokens(header, tokenizer, len(texts))
    special = special_tokens(ids, _types(header, len(texts)), named)
    return TokenTable(tokenizer.kind, texts, special, named["bos"], named["eos"])


def _tokenizer(header: GgufHeader) -> Tokenizer:
    key = header.text(f"{_KEYS}model")
    if key not in TOKENIZERS:
        raise _unloadable(header, f"unknown tokenizer: {shortened(key or '')!r}")
    return TOKENIZERS[key]


def _types(header: GgufHeader, count: int) -> Sequence[int | float]:
    types = header.array(f"{_KEYS}token_type")
    if types is None:
        return [0] * count
    if types.kind != _INT32 or types.count < count:
        raise _unloadable(header, f"the types of its {count} tokens are not all there")
    return types.numbers()[:count]


def _named_tokens(header: GgufHeader, tokenizer: Tokenizer, count: int) -> dict[str, int | None]:
    """The token of each role."""
    no_bos = tokenizer.kind == BPE and header.text(f"{_KEYS}pre") in NO_BOS
    defaults = {"bos": None if no_bos else tokenizer.bos, "eos": tokenizer.eos}
    named: dict[str, int | None] = {}
    for role in ("bos", "eos", "eot", "eom", *INFILL):
        keys = [role, OLD_NAMES.get(role, role)]
        given = [header.integer(f"{_KEYS}{key}_token_id") for key in keys]
        usable = [token for token in (defaults.get(role), *given) if token is not None and 0 <= token < count]
        named[role] = usable[-1] if usable else None
    return named


def _unloadable(header: GgufHeader, reason: str) -> ModelLoadError:
    return ModelLoadError(f"llama.cpp cannot load {header.name}: {reason}.", "Choose another file.")
