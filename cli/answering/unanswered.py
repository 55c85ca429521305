"""Answers that are nothing but what the model thought."""

from specchat.speculative.errors import SpecchatError
from specchat.speculative.events import GenerationFinished

_CUT, _OVER = "The answer is cut before it began.", "The model thought, and gave no answer."
_IN_A_CHAT = "/continue lets it think on; after /think off, /regen answers at once."


def unanswered(finished: GenerationFinished, in_a_chat: bool = False) -> SpecchatError | None:
    """What is wrong with an answer that never began, though the model thought; None for all others."""
    if not finished.reasoning or finished.text:
        return None
    match finished.finish_reason:
        case "cancelled" | "error" | "stop_string":
            return None
        case "stop":
            return SpecchatError(_OVER, _IN_A_CHAT if in_a_chat else "--think off lets it answer at once.")
        case "length":
            hint = "-n N lets the model think longer, --think off not at all."
            return SpecchatError(_CUT, _IN_A_CHAT if in_a_chat else hint)
        case "context_full":
            return SpecchatError(_CUT, "/set ctx N has more room." if in_a_chat else "-c N makes the context larger.")
