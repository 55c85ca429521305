"""What a session reports while it generates, in order; the terminal, the JSON output and the tests all read this."""

from dataclasses import dataclass
from typing import Literal

from .errors import SpecchatError
from .logprobs import ScoredToken
from .rounds import Round
from .stats import GenerationStats

FinishReason = Literal["stop", "length", "stop_string", "cancelled", "context_full", "error"]


@dataclass(frozen=True, slots=True)
class PromptProgress:
    """`read` of the `total` tokens of the prompt are in the target's cache, `cached` of them from before."""

    read: int
    total: int
    cached: int


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Finished text, never part of a character; `from_draft` if its last token was an accepted draft token.

    It is part of the answer, or of the reasoning before it.
    """

    text: str
    from_draft: bool
    is_reasoning: bool = False


@dataclass(frozen=True, slots=True)
class RoundFinished:
    """One round of drafting and verification is over."""

    round: Round


@dataclass(frozen=True, slots=True)
class GenerationFinished:
    """The last event of every generation, cancelled ones included; `tokens` include the end token.

    `text` is the answer, without the `reasoning` that the model wrote before it.
    An `error` in the middle of it ends it here, with all that was said before. `scored` are the tokens, where that was
    asked for. Where the answer was to have a form, `complete` says whether it has all of it; None where it was free.
    """

    text: str
    tokens: tuple[int, ...]
    finish_reason: FinishReason
    seed: int
    stats: GenerationStats
    error: SpecchatError | None = None
    reasoning: str = ""
    scored: tuple[ScoredToken, ...] = ()
    complete: bool | None = None


Event = PromptProgress | TextChunk | RoundFinished | GenerationFinished
