"""What was asked to draft, and where that was said."""

from dataclasses import dataclass

from specchat.profiles.config import FILE
from specchat.profiles.sources import spelled

from ..precedence import Asked


@dataclass(frozen=True, slots=True)
class DraftWish:
    """A model as it is spelled, "ngram" or "none", said at `said_at`; "auto" leaves it to us."""

    choice: str = "auto"
    said_at: str = ""

    @property
    def names_model(self) -> bool:
        """Whether it is a certain model."""
        return self.choice not in ("auto", "ngram", "none")


def draft_wish(asked: Asked) -> DraftWish:
    """The wish in what holds for a run."""
    draft = asked.settings.draft or "auto"
    origin = asked.layer.origins.get("draft", "").partition(", line ")[0]
    said_at = FILE if origin.endswith(FILE) else f"the {origin}" if origin.startswith("profile ") else origin
    return DraftWish(draft if isinstance(draft, str) else spelled(draft), said_at)
