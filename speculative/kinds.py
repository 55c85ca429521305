"""Which kinds of models continue text, and what to say about the others."""

from dataclasses import dataclass

from .errors import ModelLoadError

_HINT = "Choose a model that generates text, such as one whose name ends in -Instruct."


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKind:
    """What decides whether a model continues text."""

    architecture: str
    embeds: bool
    has_encoder: bool
    is_diffusion: bool
    has_tokenizer: bool

    @property
    def objection(self) -> str | None:
        """Why it does not continue text, as the rest of a sentence about it; None where it does."""
        if self.embeds:
            return f"is an embedding model ({self.architecture}): it cannot generate text."
        if self.has_encoder:
            return f"is a model with an encoder ({self.architecture}), which specchat cannot run."
        if self.is_diffusion:
            return f"is a diffusion model ({self.architecture}), which specchat cannot run."
        if not self.has_tokenizer:
            return "has no tokenizer, so it cannot be given text."
        return None


def check_kind(name: object, kind: ModelKind) -> None:
    """Raise `ModelLoadError` for models that do not continue text."""
    if kind.objection:
        raise ModelLoadError(f"{name} {kind.objection}", _HINT)
