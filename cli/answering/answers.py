"""An answer that is over, and whether it is what was asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specchat.speculative.errors import IncompleteError, SpecchatError
from specchat.speculative.events import FinishReason, GenerationFinished

from ..exit_codes import exit_code
from ..interruption import Stopped
from .extract import extracted, no_block
from .json_output import answer_content
from .logprobs_json import logprobs_content
from .unanswered import unanswered

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair


@dataclass(frozen=True, slots=True)
class Answer:
    """How a generation ended; with `extract` its first code block is wanted."""

    finished: GenerationFinished
    extract: bool

    @property
    def block(self) -> str | None:
        """The first code block, if there is one."""
        return extracted(self.finished.text)

    @property
    def wanted(self) -> str:
        """The text that is wanted, its last line ended."""
        text = (self.block or "") if self.extract else self.finished.text
        return text if text.endswith("\n") or not text else f"{text}\n"

    @property
    def error(self) -> SpecchatError | None:
        """Why it is not what was asked for."""
        missing = self.extract and self.block is None and self.finished.finish_reason != "cancelled"
        none = no_block(self.finished.seed) if missing else None
        return unfinished(self.finished) or unanswered(self.finished) or none

    @property
    def whole(self) -> bool:
        """Whether it is what was asked for, and came to its own end."""
        return self.error is None and self.finished.finish_reason != "cancelled"

    def check(self) -> None:
        """Raise the error if there is one, and `Stopped` where Ctrl-C ended the answer."""
        check_ended(self.finished)
        if self.error is not None:
            raise self.error

    def content(self, pair: "Pair") -> dict[str, Any]:
        """What JSON says of it."""
        content = answer_content(self.finished, pair.config, pair.exactness)
        if pair.config.scores is not None:
            content["logprobs"] = logprobs_content(self.finished.scored, pair.spelled)
        return {"text": content["text"], "extracted": self.block, **content} if self.extract else content


_CUT: dict[FinishReason, tuple[str, str]] = {
    "length": ("-n ended it before its form did", "Allow more tokens with -n N."),
    "context_full": ("the context was full before its form ended", "-c N makes the context larger."),
    "stop_string": ("--stop ended it before its form did", "Leave --stop out."),
}


def unfinished(finished: GenerationFinished) -> SpecchatError | None:
    """What ended a generation before its time, other than Ctrl-C: an error, or what cut a form short."""
    if finished.error is not None or finished.complete is not False or finished.finish_reason not in _CUT:
        return finished.error
    reason, hint = _CUT[finished.finish_reason]
    return IncompleteError(f"The answer is incomplete: {reason}.", hint)


def check_ended(finished: GenerationFinished) -> None:
    """Raise what ended a generation before its time, if something did, and `Stopped` where Ctrl-C did."""
    error = unfinished(finished)
    if error is not None:
        raise error
    if finished.finish_reason == "cancelled":
        raise Stopped


def failure_content(error: SpecchatError | None) -> dict[str, Any]:
    """What JSON says of an error; nothing where there is none."""
    return {} if error is None else {"error": error.message, "hint": error.hint, "exit_code": exit_code(error)}
