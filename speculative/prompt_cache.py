"""What was read, kept on the disk for the next start, which then need not read it again."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from .errors import DecodeError
from .model import LanguageModel, common_prefix
from .state_file import KeptTokens, UnusableState, read_state, read_tokens, write_state
from .state_places import StatePlace

_BYTES_A_SECOND = 5e8
"""So fast a state is read from a disk and verified, on a slow day."""
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
    """States of a `model` at a `place`, by the `key` of all that shapes them.

    With `as_new`, only what was read in the passes of a new session is taken, which hold `piece` tokens each: how a
    prompt is cut is part of the result. `tell` is told a sentence for the user.
    """

    model: KeepsState
    place: StatePlace
    key: str
    piece: int
    as_new: bool
    tell: Callable[[str], None]
    _seconds: float = 0.0
    """What a token takes to read at best; 0 while that is not known."""
    _measured: bool = False
    """Whether it was measured in this run."""
    _told: set[Path] = field(default_factory=set)

    def recall(self, prompt: Sequence[int], held: int, check: Callable[[], None] = lambda: None) -> Recalled | None:
        """Put what is kept of `prompt` into the cache, if that is faster than to read on behind its `held` tokens.

        Then the cache may hold more, which is to be rolled back. Raises what `check` raises, the cache being as it was.
        """
        most, found = held, None
        for path, kept in self._kept():
            usable = self._usable(kept, prompt)
            if usable > most and (usable - held) * kept.seconds > kept.size / _BYTES_A_SECOND:
                most, found = usable, path
        if found is None:
            return None
        try:
            kept, state = read_state(found, self.key, check)  # which may be another one by now
            usable = self._usable(kept, prompt)
            if usable <= held:
                return None
            if not self.model.load_state(kept.tokens, state):
                raise UnusableState("does not fit the context")
        except UnusableState as unusable:
            self._complain(found, unusable)
            return None
        self._seconds = self._seconds or kept.seconds
        self.place.used(found)
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
        count = common_prefix(self.model.cached, text[:whole] if self.as_new else text)
        tokens = list(text[:count])
        if not self._is_worth_it(tokens):
            return
        path = self.place.target(self.key, tokens)
        if self._is_foreign(path) or self.model.rollback(count) < count:
            return
        try:
            state = self.model.save_state()
            if len(state) > self.place.limit:
                self.tell(f"What was read is not kept: it would take {len(state) / 1e9:.1f} GB.")
            elif len(state) / _BYTES_A_SECOND < count * self._seconds:
                self._write(path, KeptTokens(tokens, min(whole, count), self._seconds, len(state)), state)
        except OSError as error:
            self.tell(f"What was read could not be kept in {path}: {error.strerror}.")
        except DecodeError as error:
            self.tell(f"What was read could not be kept: {error.message}")
        except MemoryError:
            self.tell("What was read could not be kept: there is no memory left for a copy.")

    def _write(self, path: Path, kept: KeptTokens, state: memoryview) -> None:
        before = list(self._kept())
        write_state(path, self.key, kept, state)
        for other, less in before:
            covered = common_prefix(less.tokens, kept.tokens) == len(less.tokens) and less.whole <= kept.whole
            if other != path and covered:
                self.place.useless(other)
        self.place.tidy()

    def _is_worth_it(self, tokens: Sequence[int]) -> bool:
        on_disk = max((self._shared(kept, tokens) for _, kept in self._kept()), default=0)
        new = len(tokens) - on_disk
        return new * self._seconds >= self.place.least_seconds and new >= _WORTH_WRITING * len(tokens)

    def _usable(self, kept: KeptTokens, prompt: Sequence[int]) -> int:
        """How many tokens of `prompt` a state saves from being read; the last one is always read."""
        shared = self._shared(kept, prompt[:-1])
        if not self.model.shortens_states:
            return shared if shared == len(kept.tokens) else 0
        return shared - shared % self.piece if self.as_new else shared

    def _shared(self, kept: KeptTokens, text: Sequence[int]) -> int:
        """How much of a text a state has, read as it should be."""
        shared = common_prefix(kept.tokens, text)
        return min(shared, kept.whole) if self.as_new else shared

    def _kept(self) -> Iterator[tuple[Path, KeptTokens]]:
        """What is there and can be used."""
        for path in self.place.found(self.key):
            kept = self._read(path)
            if isinstance(kept, KeptTokens):
                yield path, kept

    def _read(self, path: Path) -> KeptTokens | UnusableState:
        """What a file has. That it cannot be used is told once."""
        try:
            return read_tokens(path, self.key)
        except UnusableState as unusable:
            self._complain(path, unusable)
            return unusable

    def _is_foreign(self, path: Path) -> bool:
        """Whether a path is taken by something that is not ours."""
        kept = self._read(path) if os.path.lexists(path) else None
        return isinstance(kept, UnusableState) and kept.foreign

    def _complain(self, path: Path, unusable: UnusableState) -> None:
        if path not in self._told and os.path.lexists(path):  # another process may have removed it
            stays = " It is left as it is, and nothing is kept." if unusable.foreign else ""
            self.tell(f"{path} {unusable.reason}, so the prompt is read anew.{stays}")
            self._told.add(path)
        if not unusable.foreign:
            self.place.useless(path)
