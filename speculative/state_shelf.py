"""The states of one model that are kept at a place, and which of them saves most of what has to be read."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .model import common_prefix
from .state_file import KeptTokens, UnusableState, read_state, read_tokens, write_state
from .state_places import StatePlace

BYTES_A_SECOND = 5e8
"""So fast a state is read from a disk and verified, on a slow day."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that saves `tokens` from being read, and takes about so many seconds to load."""

    path: Path
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class StateShelf:
    """States at a `place`, by the `key` of all that shapes them.

    With `as_new`, only what was read in the passes of a new session is taken, which hold `piece` tokens each: how a
    prompt is cut is part of the result. `tell` is told a sentence for the user, `progress` what is being done where it
    takes a while, and an empty text when that is over.
    """

    place: StatePlace
    key: str
    piece: int
    as_new: bool
    tell: Callable[[str], None]
    progress: Callable[[str], None] = lambda doing: None
    _told: set[Path] = field(default_factory=set)

    def best(self, prompt: Sequence[int], held: int, goes_back: bool) -> Found | None:
        """The state that saves most of `prompt` beyond its first `held` tokens, if loading it is faster than reading.

        `goes_back` says whether the model can forget the last tokens of a state alone.
        """
        found: Found | None = None
        for path, kept in self.kept():
            tokens, seconds = self.usable(kept, prompt, goes_back), kept.size / BYTES_A_SECOND
            if tokens > (found.tokens if found else held) and (tokens - held) * kept.seconds > seconds:
                found = Found(path, tokens, seconds)
        return found

    def usable(self, kept: KeptTokens, prompt: Sequence[int], goes_back: bool) -> int:
        """How many tokens of `prompt` a state saves from being read; the last one is always read."""
        shared = self._shared(kept, prompt[:-1])
        if not goes_back:
            return shared if shared == len(kept.tokens) else 0
        return shared - shared % self.piece if self.as_new else shared

    def has_of(self, text: Sequence[int]) -> int:
        """How much of a text is kept already."""
        return max((self._shared(kept, text) for _, kept in self.kept()), default=0)

    def load(self, path: Path, check: Callable[[], None]) -> tuple[KeptTokens, bytearray]:
        """A state, verified. Raises `UnusableState`, and what `check` raises meanwhile."""

        def watch(share: float) -> None:
            check()
            self._show("loading", share)

        try:
            return read_state(path, self.key, watch)
        finally:
            self.progress("")

    def write(self, path: Path, kept: KeptTokens, state: memoryview) -> None:
        """Write a state, in the place of those that it covers. Raises `OSError`."""
        before = list(self.kept())
        try:
            write_state(path, self.key, kept, state, lambda share: self._show("keeping", share))
        finally:
            self.progress("")
        for other, less in before:
            covered = common_prefix(less.tokens, kept.tokens) == len(less.tokens) and less.whole <= kept.whole
            if other != path and covered:
                self.place.useless(other)
        self.place.tidy()

    def is_foreign(self, path: Path) -> bool:
        """Whether a path is taken by something that is not ours."""
        kept = self._read(path) if os.path.lexists(path) else None
        return isinstance(kept, UnusableState) and kept.foreign

    def complain(self, path: Path, unusable: UnusableState) -> None:
        """Tell once that a file cannot be used; in a folder it goes."""
        if path not in self._told and os.path.lexists(path):  # another process may have removed it
            stays = " It is left as it is, and nothing is kept." if unusable.foreign else ""
            self.tell(f"{path} {unusable.reason}, so the prompt is read anew.{stays}")
            self._told.add(path)
        if not unusable.foreign:
            self.place.useless(path)

    def kept(self) -> Iterator[tuple[Path, KeptTokens]]:
        """What is there and can be used."""
        for path in self.place.found(self.key):
            kept = self._read(path)
            if isinstance(kept, KeptTokens):
                yield path, kept

    def _shared(self, kept: KeptTokens, text: Sequence[int]) -> int:
        """How much of a text a state has, read as it should be."""
        shared = common_prefix(kept.tokens, text)
        return min(shared, kept.whole) if self.as_new else shared

    def _read(self, path: Path) -> KeptTokens | UnusableState:
        """What a file has. That it cannot be used is told once."""
        try:
            return read_tokens(path, self.key)
        except UnusableState as unusable:
            self.complain(path, unusable)
            return unusable

    def _show(self, doing: str, share: float) -> None:
        if share:  # a single piece is too quick to need words
            self.progress(f"{doing} {share:.0%} of what was read")
