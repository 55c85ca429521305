"""What a benchmark is about."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What was measured, as far as it matters for what is said about the numbers."""

    title: str
    ngrams: bool = False
    """Whether the n-grams of the text drafted, and not a model."""
    rival: str | None = None
    """The name of a second model that was measured plain."""
    same_text: bool = True
    """Whether a drafted answer is meant to be the plain one."""

    @property
    def rival_variant(self) -> str | None:
        """What the second model is called among the variants, where its own name might be one already."""
        return f"against {self.rival}" if self.rival else None
