"""The token that tells the hub who asks, and where it came from: the value itself is never shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .settings import is_yes

VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `origin` is the variable or the file that it was read from."""

    value: str = field(repr=False)
    origin: str

    @property
    def in_variable(self) -> bool:
        """Whether it stands in the environment, where it outranks what `hf auth login` keeps."""
        return self.origin in VARIABLES


def find_token(variables: Mapping[str, str], hub_home: Path) -> Token | None:
    """The token that huggingface_hub would send: that of the environment, else of the file that its login keeps."""
    if is_yes(variables.get("HF_HUB_DISABLE_IMPLICIT_TOKEN")):
        return None
    for name in VARIABLES:
        if value := _clean(variables.get(name, "")):
            return Token(value, name)
    file = Path(variables.get("HF_TOKEN_PATH") or hub_home / "token")
    try:
        value = _clean(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return Token(value, str(file)) if value else None


def _clean(text: str) -> str:
    """A token without the line breaks that copying adds; empty where it can be no header (then it is no token)."""
    token = text.replace("\r", "").replace("\n", "").strip()
    return token if token.isascii() and token.isprintable() else ""
