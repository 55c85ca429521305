"""An answer that is over, and whether it is what was asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from specchat.speculative.errors import SpecchatError
from specchat.speculative.events import GenerationFinished

from .exit_codes import exit_code
from .extract import extracted, no_block
from .interruption import Stopped
from .json_output import answer_content
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
        return self.finished.error or unanswered(self.finished) or (no_block(self.finished.seed) if missing else None)

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
        return {"text": content["text"], "extracted": self.block, **content} if self.extract else content


def check_ended(finished: GenerationFinished) -> None:
    """Raise the error that ended a generation, if one did, and `Stopped` where Ctrl-C did."""
    if finished.error is not None:
        raise finished.error
    if finished.finish_reason == "cancelled":
        raise Stopped


def failure_content(error: SpecchatError | None) -> dict[str, Any]:
    """What JSON says of an error; nothing where there is none."""
    return {} if error is None else {"error": error.message, "hint": error.hint, "exit_code": exit_code(error)}
