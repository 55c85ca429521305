"""The tokens of a model: text to tokens and back, and which tokens are more than text."""

import ctypes
import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import llama_cpp

from ..compatibility import TokenTable

_KINDS = {
    llama_cpp.LLAMA_VOCAB_TYPE_NONE: "none",
    llama_cpp.LLAMA_VOCAB_TYPE_SPM: "SentencePiece",
    llama_cpp.LLAMA_VOCAB_TYPE_BPE: "byte-level BPE",
    llama_cpp.LLAMA_VOCAB_TYPE_WPM: "WordPiece",
    llama_cpp.LLAMA_VOCAB_TYPE_UGM: "Unigram",
    llama_cpp.LLAMA_VOCAB_TYPE_RWKV: "RWKV",
    llama_cpp.LLAMA_VOCAB_TYPE_PLAMO2: "PLaMo 2",
    llama_cpp.LLAMA_VOCAB_TYPE_TEST: "test",
}
_UNKNOWN = llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
_UNUSED = llama_cpp.LLAMA_TOKEN_ATTR_UNUSED
_NORMAL = llama_cpp.LLAMA_TOKEN_ATTR_NORMAL
_CONTROL = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL
_USER_DEFINED = llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED

_STRANGER = "\ue7f3"
"""A private-use character: no merge of any tokenizer reaches across it."""


@dataclass(frozen=True, slots=True)
class SpecialToken:
    """A token that llama.cpp cuts out of a text before the tokenizer proper sees it."""

    id: int
    text: str
    is_control: bool
    strips_left: bool
    strips_right: bool

    @property
    def is_typeable(self) -> bool:
        """Whether this is ordinary text after all, such as the runs of spaces that some vocabularies define."""
        return not self.is_control and (not self.text.strip() or len(self.text) == 1)


class Vocabulary:
    """The vocabulary of a loaded model; usable for as long as the model is."""

    def __init__(self, vocab: "llama_cpp.llama_vocab_p") -> None:
        self._vocab = vocab
        self.n_tokens = llama_cpp.llama_vocab_n_tokens(vocab)
        self.kind = _KINDS.get(llama_cpp.llama_vocab_type(vocab), "unknown")
        self.bos = self._id(llama_cpp.llama_vocab_bos(vocab))
        self.eos = self._id(llama_cpp.llama_vocab_eos(vocab))
        self.eot = self._id(llama_cpp.llama_vocab_eot(vocab))
        self.adds_bos = self.bos is not None and bool(llama_cpp.llama_vocab_get_add_bos(vocab))
        self._pieces: list[bytes | None] = [None] * self.n_tokens

    def _id(self, token: int) -> int | None:
        return token if 0 <= token < self.n_tokens else None

    @functools.cached_property
    def attributes(self) -> list[int]:
        """llama.cpp's attribute bits of every token."""
        vocab, get = self._vocab, llama_cpp.llama_vocab_get_attr
        return [get(vocab, token) for token in range(self.n_tokens)]

    @functools.cached_property
    def texts(self) -> list[bytes]:
        """Every token as the vocabulary spells it (`Ġthe`, `▁the`, `<0x0A>`)."""
        vocab, get = self._vocab, llama_cpp.llama_vocab_get_text
        return [get(vocab, token) or b"" for token in range(self.n_tokens)]

    @functools.cached_property
    def end_tokens(self) -> frozenset[int]:
        """All tokens that end a generation; a model may have several."""
        vocab, ends = self._vocab, llama_cpp.llama_vocab_is_eog
        named = {token for token in (self.eos, self.eot) if token is not None}
        tokens = {*self._marked(_CONTROL | _USER_DEFINED), *named}
        # that a token ends a turn is not enough: gpt-oss begins its answer after one
        return frozenset(token for token in tokens if ends(vocab, token)) - self._misnamed

    @functools.cached_property
    def _misnamed(self) -> frozenset[int]:
        """`</s>` where its own file calls it text, as Qwen's does: llama.cpp takes it for an end, but it is HTML."""
        return frozenset(
            token
            for token in self._marked(_CONTROL)
            if self.attributes[token] & _NORMAL
            and self.text(token) == b"</s>"
            and token not in (self.bos, self.eos, self.eot)
        )

    @functools.cached_property
    def special_tokens(self) -> tuple[SpecialToken, ...]:
        """The tokens that parsing a text for special tokens may produce, in llama.cpp's order: longest text first."""
        tokens = (self._special(token) for token in self._marked(_CONTROL | _USER_DEFINED | _UNKNOWN))
        return tuple(sorted((token for token in tokens if token.text), key=lambda token: -len(token.text.encode())))

    @functools.cached_property
    def _marked_texts(self) -> tuple[str, ...]:
        """The texts that plain tokenization must cut."""
        texts = [token.text for token in self.special_tokens if not token.is_typeable]
        return tuple(texts + [text.replace("▁", " ") for text in texts if "▁" in text])

    @functools.cached_property
    def _never_plain(self) -> frozenset[int]:
        """The tokens that plain text must never become; an unknown token is what unknown text becomes."""
        return frozenset(
            token.id
            for token in self.special_tokens
            if not token.is_typeable and not self.attributes[token.id] & _UNKNOWN
        )

    @property
    def infill(self) -> tuple[int | None, int | None, int | None]:
        """The tokens in front of a text before a gap, in front of the text after it, and in front of what fills it."""
        vocab = self._vocab
        before, after = llama_cpp.llama_vocab_fim_pre(vocab), llama_cpp.llama_vocab_fim_suf(vocab)
        return self._id(before), self._id(after), self._id(llama_cpp.llama_vocab_fim_mid(vocab))

    @property
    def table(self) -> TokenTable:
        """What the comparison of two vocabularies looks at."""
        odd = self._marked(_CONTROL | _UNUSED | _UNKNOWN)
        named = {token for token in (self.bos, self.eos) if token is not None}
        return TokenTable(self.kind, self.texts, frozenset(odd) | named | self.end_tokens, self.bos, self.eos)

    def _marked(self, mask: int) -> list[int]:
        return [token for token, attributes in enumerate(self.attributes) if attributes & mask]

    def _special(self, token: int) -> SpecialToken:
        attributes = self.attributes[token]
        return SpecialToken(
            id=token,
            text=self.text(token).decode(errors="replace"),
            is_control=bool(attributes & (_CONTROL | _UNKNOWN)),
            strips_left=bool(attributes & llama_cpp.LLAMA_TOKEN_ATTR_LSTRIP),
            strips_right=bool(attributes & llama_cpp.LLAMA_TOKEN_ATTR_RSTRIP),
        )

    def is_end(self, token: int) -> bool:
        """Whether the token ends a generation."""
        return token in self.end_tokens

    def is_control(self, token: int) -> bool:
        """Whether the token is a mark for the model rather than text."""
        return bool(self.attributes[token] & _CONTROL) and token not in self._misnamed

    def text(self, token: int) -> bytes:
        """The token as the vocabulary spells it."""
        return llama_cpp.llama_vocab_get_text(self._vocab, token) or b""

    def piece(self, token: int) -> bytes:
        """The bytes that the token adds to a text: nothing for a control token, maybe part of a character."""
        piece = self._pieces[token]
        if piece is None:
            piece = self._pieces[token] = self._fetch_piece(token)
        return piece

    def _fetch_piece(self, token: int) -> bytes:
        size, shown = 64, token in self._misnamed
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = llama_cpp.llama_token_to_piece(self._vocab, token, buffer, size, 0, shown)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def shown(self, token: int) -> bytes:
        """The text of a token that stands alone, which for a control token is its name."""
        size, alone = 64, (ctypes.c_int32 * 1)(token)
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = llama_cpp.llama_detokenize(self._vocab, alone, 1, buffer, size, False, True)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def tokenize(self, text: str, parse_special: bool) -> list[int]:
        """The tokens of `text`, without a BOS.

        With `parse_special`, texts of control tokens become these tokens. Without, texts of user-defined tokens still
        become tokens: `tokenize_plain` is for text that people type.
        """
        return self.tokenize_bytes(text.encode(errors="replace"), parse_special)

    def tokenize_bytes(self, data: bytes, parse_special: bool = False) -> list[int]:
        """The same for bytes that may be part of a character."""
        size = len(data) + 8
        while True:
            tokens = (ctypes.c_int32 * size)()
            count = llama_cpp.llama_tokenize(self._vocab, data, len(data), tokens, size, False, parse_special)
            if count >= 0:
                return tokens[:count]
            size = -count

    def tokenize_plain(self, text: str) -> list[int]:
        """The tokens of `text`, none of which is a control or user-defined token, whatever the text says.

        The texts of such tokens are cut after their first character and the parts tokenized apart.
        """
        tokens = self._tokenize_parts([text])
        if not self._never_plain.isdisjoint(tokens):
            tokens = self._tokenize_parts(cut_inside(text, self._marked_texts))
        if not self._never_plain.isdisjoint(tokens):
            # No vocabulary is known to need this; text that cannot be said without a mark is better lost than obeyed.
            tokens = [token for token in self._tokenize_parts(list(text)) if token not in self._never_plain]
        return tokens

    def _tokenize_parts(self, parts: Sequence[str]) -> list[int]:
        first, *others = parts
        return self.tokenize(first, False) + [token for part in others for token in self.continue_with(part)]

    def continue_with(self, text: str) -> list[int]:
        """The tokens of `text` in the middle of a text, where SentencePiece must not put a space in front."""
        if self.kind == _KINDS[llama_cpp.LLAMA_VOCAB_TYPE_BPE]:
            return self.tokenize(text, False)
        before = self.tokenize(_STRANGER, False)
        return self.tokenize(_STRANGER + text, False)[len(before) :]


def cut_inside(text: str, marks: Iterable[str]) -> list[str]:
    """Cut `text` into parts none of which contains a mark, each mark being cut after its first character."""
    cuts = set()
    for mark in marks:
        begin = text.find(mark)
        while begin >= 0:
            cuts.add(begin + 1)
            begin = text.find(mark, begin + 1)
    edges = [0, *sorted(cuts), len(text)]
    return [text[begin:end] for begin, end in itertools.pairwise(edges)]
