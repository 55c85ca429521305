"""What a draft model read in earlier runs, at hand where it guesses for the first time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from .model import common_prefix
from .prompt_cache import KeepsState, PromptCache
from .state_shelf import Found, StateShelf


@dataclass(slots=True)
class DraftStates:
    """The states of a draft on its `shelf`, which say what reading would take before the draft is loaded.

    Nothing that a draft does changes a text, so all is taken that fits. What `check` raises ends a loading, which is in
    the middle of an answer, so that nothing is shown of it; `progress` is told how far the keeping is.
    """

    shelf: StateShelf
    check: Callable[[], None]
    progress: Callable[[str], None]
    _cache: PromptCache | None = None
    _asked: Sequence[int] = ()
    _found: Found | None = None

    def serve(self, model: KeepsState) -> None:
        """The draft is loaded: it is this one."""
        self._cache = PromptCache(model, self.shelf)

    def promise(self, text: Sequence[int]) -> Found | None:
        """What need not be read of a text; the disk is asked once for each, though it grows."""
        if self._asked is not text:
            self._asked, self._found = text, self.shelf.best(text, 0, goes_back=True)
        return self._found

    def recall(self, text: Sequence[int]) -> None:
        """Put what is kept of a text into the draft. Raises what `check` raises."""
        if self._cache:
            self._cache.recall(text, common_prefix(self._cache.model.cached, text), self.check)

    def has_read(self, tokens: int, seconds: float) -> None:
        """Learn what reading takes."""
        if self._cache:
            self._cache.has_read(tokens, seconds)

    def keep(self, text: Sequence[int]) -> None:
        """Keep what the draft has read of a text, if that is worth it; once."""
        cache, self._cache = self._cache, None
        if cache:
            cache.shelf = replace(self.shelf, progress=self.progress)
            cache.keep(text, 0)
