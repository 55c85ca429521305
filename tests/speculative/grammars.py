"""Grammars that can be enumerated: sets of texts over a vocabulary of a few tokens."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from specchat.speculative.constraint.matcher import Mask


@dataclass
class ListedMatcher:
    """Allows the beginnings of `sentences`, of which those that are whole may end with `end`; counts its questions."""

    sentences: Collection[tuple[int, ...]]
    n_vocab: int
    end: int
    read: list[int] = field(default_factory=list)
    moved: int = 0
    masks: int = 0

    def allows(self, token: int) -> bool:
        if token == self.end:
            return tuple(self.read) in self.sentences
        begun = (*self.read, token)
        return any(sentence[: len(begun)] == begun for sentence in self.sentences)

    def mask(self) -> Mask:
        self.masks += 1
        mask, read = np.zeros(self.n_vocab, np.bool_), tuple(self.read)
        for sentence in self.sentences:
            following = sentence[len(read)] if len(sentence) > len(read) else self.end
            if sentence[: len(read)] == read and following < self.n_vocab:
                mask[following] = True
        return mask

    def move(self, back: int, tokens: Sequence[int]) -> bool:
        assert back <= len(self.read), "more taken back than was read"
        del self.read[len(self.read) - back :]
        self.moved += back + len(tokens)
        for place, token in enumerate(tokens):
            if token == self.end or not self.allows(token):
                del self.read[len(self.read) - place :]
                return False
            self.read.append(token)
        return True


def is_token(end: int) -> Callable[[int], bool]:
    return lambda token: token == end
