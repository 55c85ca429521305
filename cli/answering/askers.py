"""From texts to the tokens of prompts, as the commands ask."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError
from specchat.speculative.messages import Message

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair

Ask = Callable[[str, str | None], Sequence[int]]
"""From a text, and a system prompt of its own if it has one, to the tokens of a prompt."""


def chat_asker(pair: "Pair", history: Sequence[Message]) -> Ask:
    """Prompts for the next message of a chat; a system prompt of its own stands in the place of the `history`."""

    def ask(text: str, system: str | None) -> Sequence[int]:
        own = [Message("system", system)] if system else []
        return pair.chat_tokens([*(history if system is None else own), Message("user", text)])

    return ask


def raw_asker(pair: "Pair", suffix: str | None, special: bool) -> Ask:
    """Raw text; with a `suffix`, what stands before the gap to be filled."""

    def ask(text: str, system: str | None) -> Sequence[int]:
        if system:
            raise UsageError("Raw text has no system prompt.", "Put it into the prompt, or use specchat run.")
        return pair.text_tokens(text, special) if suffix is None else pair.infill_tokens(text, suffix)

    return ask
