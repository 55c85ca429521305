"""Commands that change what was said: again, on, back, otherwise, anew."""

from typing import TYPE_CHECKING

from specchat.speculative.errors import UsageError
from specchat.speculative.sampling_params import SamplingParams

from ...display.screen import beginning
from ..line.editor import edit_text
from .registry import line_of

if TYPE_CHECKING:
    from ..dialogue import Dialogue


def regen(chat: "Dialogue", _: str) -> None:
    """Another answer to the last question; why it is the same, where it has to be."""
    _require(chat)
    before = chat.conversation.answer
    chat.answer_again()
    after, sampling = chat.conversation.answer, chat.pair.sampling
    if after is not before and after == before and sampling.greedy:
        why, other = _why_no_other(sampling)
        chat.tell(f"{why} there is one answer only; {other} gives others.")


def _why_no_other(sampling: SamplingParams) -> tuple[str, str]:
    """What leaves nothing to draw, and what to type against it."""
    if sampling.top_k == 1:
        return "With top-k 1", "/set top-k 40"
    return f"At temperature {sampling.temperature:g}", "/set temp 0.8"


def go_on(chat: "Dialogue", _: str) -> None:
    """Go on with the last answer, as if it had not ended."""
    _require(chat)
    chat.go_on()


def undo(chat: "Dialogue", _: str) -> None:
    """Take the last question and its answer back."""
    _require(chat)
    chat.tell(f"Taken back: {beginning(chat.take_back())}")


def edit(chat: "Dialogue", _: str) -> None:
    """Change the last question in an editor, and answer it anew."""
    _require(chat)
    before = chat.conversation.question or ""
    after = edit_text(chat.env, before)
    if not after.strip() or after == before:
        chat.tell("Nothing was changed.")
        return
    chat.take_back()
    chat.answer(after, line_of(after))


def clear(chat: "Dialogue", _: str) -> None:
    """Begin anew; the system prompt stays."""
    chat.forget()
    chat.tell("Begun anew.")


def _require(chat: "Dialogue") -> None:
    if not chat.conversation.turns:
        raise UsageError("Nothing was said yet.", "Ask something first.")
