"""What was read, kept on the disk for the next start, which then need not read it again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .errors import DecodeError
from .model import LanguageModel, common_prefix
from .state_file import KeptTokens, UnusableState
from .state_shelf import BYTES_A_SECOND, StateShelf

_WORTH_WRITING = 0.1
"""The share of a text that must not be on the disk yet: else each question about a document would write it again."""
_TELLING = 16
"""Tokens that have to be read for their time to say what a token takes: in short passes one is dearer."""


class KeepsState(LanguageModel, Protocol):
    """A model whose cache can be taken out and put back."""

    @property
    def shortens_states(self) -> bool:
        """Whether a state that was put back can forget its last tokens alone."""

    def save_state(self) -> memoryview:
        """What the cache holds, as bytes. Raises `DecodeError`."""

    def load_state(self, tokens: Sequence[int], state: bytearray) -> bool:
        """Let the cache hold `tokens`, whose bytes `state` are; False, and it is empty, where these do not fit."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The first `kept` tokens of a prompt come from the disk, the first `whole` in the passes of a prompt alone."""

    kept: int
    whole: int


@dataclass(slots=True)
class PromptCache:
    """Takes what a `model` read from its `shelf`, and puts it there."""

    model: KeepsState
    shelf: StateShelf
    _seconds: float = 0.0
    """What a token takes to read at best; 0 while that is not known."""
    _measured: bool = False
    """Whether it was measured in this run."""

    def recall(self, prompt: Sequence[int], held: int, check: Callable[[], None] = lambda: None) -> Recalled | None:
        """Put what is kept of `prompt` into the cache, if that is faster than to read on behind its `held` tokens.

        Then the cache may hold more, which is to be rolled back. Raises what `check` raises, the cache being as it was.
        """
        goes_back = self.model.shortens_states
        found = self.shelf.best(prompt, held, goes_back)
        if found is None:
            return None
        try:
            kept, state = self.shelf.load(found.path, check)  # which may be another one by now
            usable = self.shelf.usable(kept, prompt, goes_back)
            if usable <= held:
                return None
            if not self.model.load_state(kept.tokens, state):
                raise UnusableState("does not fit the context")
        except UnusableState as unusable:
            self.shelf.complain(found.path, unusable)
            return None
        self._seconds = self._seconds or kept.seconds
        self.shelf.place.used(found.path)
        return Recalled(usable, kept.whole)

    def has_read(self, tokens: int, seconds: float) -> None:
        """Learn what reading takes."""
        if tokens >= _TELLING:
            found = seconds / tokens
            self._seconds = min(self._seconds, found) if self._measured else found
            self._measured = True

    def keep(self, text: Sequence[int], whole: int) -> None:
        """Keep what the cache holds of `text`, if reading that again would take long; the rest of it is forgotten.

        The first `whole` tokens were read in the passes of a new session; `as_new`, no more is of use.
        What fails is told.
        """
        shelf = self.shelf
        count = common_prefix(self.model.cached, text[:whole] if shelf.as_new else text)
        tokens = list(text[:count])
        if not self._is_worth_it(tokens):
            return
        path = shelf.place.target(shelf.key, tokens)
        if shelf.is_foreign(path) or self.model.rollback(count) < count:
            return
        try:
            state = self.model.save_state()
            if len(state) > shelf.place.limit:
                shelf.tell(f"What was read is not kept: it would take {len(state) / 1e9:.1f} GB.")
            elif len(state) / BYTES_A_SECOND < count * self._seconds:
                shelf.write(path, KeptTokens(tokens, min(whole, count), self._seconds, len(state)), state)
        except OSError as error:
            shelf.tell(f"What was read could not be kept in {path}: {error.strerror}.")
        except DecodeError as error:
            shelf.tell(f"What was read could not be kept: {error.message}")
        except MemoryError:
            shelf.tell("What was read could not be kept: there is no memory left for a copy.")

    def _is_worth_it(self, tokens: Sequence[int]) -> bool:
        new = len(tokens) - self.shelf.has_of(tokens)
        return new * self._seconds >= self.shelf.place.least_seconds and new >= _WORTH_WRITING * len(tokens)
