"""DRY's sequence breakers in the tokens of a vocabulary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..dry import Breakers
from .vocabulary import Vocabulary

_MOST_BYTES, _MOST_TOKENS = 40, 20
"""What is longer is cut, as llama.cpp cuts it."""

Tails = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class BreakerTokens:
    """Spells breakers as llama.cpp does (get_overlapping_token_sequences in src/llama-sampler.cpp).

    All tokens are looked at, for each text once.
    """

    vocabulary: Vocabulary
    _known: dict[str, dict[int, Tails]] = field(default_factory=dict)
    _texts: list[bytes] = field(default_factory=list)

    def __call__(self, texts: Sequence[str]) -> Breakers:
        """All tokens that end with a breaker or the beginning of one, and what may be the rest of it."""
        found: dict[int, Tails] = {}
        for text in filter(None, texts):
            if text not in self._known:
                self._known[text] = self._spelled(text.encode(errors="replace")[:_MOST_BYTES])
            for token, tails in self._known[text].items():
                found[token] = (*found.get(token, ()), *tails)
        return found

    def _spelled(self, breaker: bytes) -> dict[int, Tails]:
        if not self._texts:
            self._texts.extend(map(self.vocabulary.shown, range(self.vocabulary.n_tokens)))
        rests: dict[bytes, tuple[int, ...]] = {}
        found: dict[int, Tails] = {}
        for token, text in enumerate(self._texts):
            if breaker in text:
                found[token] = ((),)
                continue
            missing = list(_rests(breaker, text))
            rests.update({rest: self._tokens(rest) for rest in missing if rest not in rests})
            if missing:
                found[token] = tuple(rests[rest] for rest in missing)
        return found

    def _tokens(self, rest: bytes) -> tuple[int, ...]:
        return tuple(self.vocabulary.tokenize_bytes(rest)[:_MOST_TOKENS])


def _rests(breaker: bytes, text: bytes) -> Iterator[bytes]:
    """What of a breaker is still missing behind a text that ends with its beginning."""
    for length in range(min(len(breaker) - 1, len(text)), 0, -1):
        if text.endswith(breaker[:length]):
            yield breaker[length:]
