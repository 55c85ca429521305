"""What is said in a chat."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat, as text; templates are not told the `reasoning` before an answer."""

    role: Role
    content: str
    reasoning: str = ""
