"""How a prompt comes into the cache of the target, and which of it as a new session would bring it there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .model import LanguageModel, common_prefix
from .prompt_cache import PromptCache


@dataclass(frozen=True, slots=True)
class Settled:
    """So many tokens of a prompt may be reused from the cache, `recalled` of them come from the disk."""

    kept: int
    recalled: int = 0


@dataclass(slots=True)
class Reading:
    """Remembers how much of what the cache holds was read in the passes in which a new session reads a prompt.

    Those hold `piece` tokens each, from the first one on. What the `prompt_cache` has is not read.
    """

    piece: int
    prompt_cache: PromptCache | None = None
    _whole: int = 0

    def settle(self, model: LanguageModel, prompt: Sequence[int], kept: int, check: Callable[[], None]) -> Settled:
        """What of `prompt` is reused, of which `kept` tokens may be if they are in the cache. Raises what `check` does.

        All of the prompt counts as read then.
        """
        held = min(kept, common_prefix(model.cached, prompt))
        found = self.prompt_cache.recall(prompt, held, check) if self.prompt_cache else None
        if found:
            held, self._whole = found.kept, found.whole
        whole = self.same_passes(held)
        self._whole = self._floor(len(prompt) - 1) if whole == held else whole
        return Settled(held, held if found else 0)

    def same_passes(self, kept: int) -> int:
        """As many of the first `kept` tokens as were read in the passes of a new session."""
        return self._floor(min(kept, self._whole))

    def has_read(self, tokens: int, seconds: float) -> None:
        """Learn what reading takes."""
        if self.prompt_cache:
            self.prompt_cache.has_read(tokens, seconds)

    def keep(self, text: Sequence[int]) -> None:
        """Keep on the disk what the cache holds of `text`, if that is worth it; once."""
        prompt_cache, self.prompt_cache = self.prompt_cache, None
        if prompt_cache:
            prompt_cache.keep(text, self._whole)

    def _floor(self, count: int) -> int:
        return count - count % self.piece
