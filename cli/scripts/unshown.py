"""Answers that are not shown while they are made: a line on the terminal says how far they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specchat.speculative.events import Event, GenerationFinished, PromptProgress, RoundFinished

from ..answering.answers import Answer
from ..answering.askers import Ask
from ..answering.speaker import check_length
from ..display.status_line import StatusLine
from ..environment import Environment
from ..interruption import Stopped
from ..models.loading import tell_notices
from ..request import Limits

if TYPE_CHECKING:
    from specchat.speculative.llama.pair import Pair

_EVERY = 0.1
"""Seconds between two updates of the line."""


def watched(env: Environment, line: StatusLine, events: Iterator[Event], *before: str) -> Iterator[Event]:
    """The events, while the line says how far they are behind what it says `before`."""
    tokens, began, shown = 0, env.now(), 0.0
    for event in events:
        items: list[str] = []
        match event:
            case PromptProgress(read, total, _):
                items = [f"reading {read:,}/{total:,} tokens"]
            case RoundFinished(step):
                began = began if tokens else env.now()  # the first round reads the rest of the prompt
                tokens += len(step.tokens)
                items = [f"{tokens:,} tokens", *_speed(tokens, env.now() - began)]
        if items and env.now() - shown >= _EVERY:
            line.show(*before, *items)
            shown = env.now()
        yield event


def _speed(tokens: int, seconds: float) -> list[str]:
    return [f"{tokens / seconds:.1f} tokens/s"] if seconds > _EVERY else []


def last_of(events: Iterator[Event]) -> GenerationFinished:
    """How a generation ends, when it has."""
    *_, finished = events
    assert isinstance(finished, GenerationFinished)
    return finished


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers one prompt after the other with a loaded pair, each as a run of its own would.

    What prompts start with alike is read once; with `--exact` only as far as a run of its own reads it in the same
    passes. Reasoning that is shown is only counted with `folds`.
    """

    env: Environment
    pair: "Pair"
    limits: Limits
    ask: Ask
    extract: bool
    quiet: bool
    folds: bool = False

    def answer(self, line: StatusLine, place: str, text: str, system: str | None = None) -> Answer:
        """Answer, while the line says how far it is. Raises what a prompt that makes no sense raises, and `Stopped`."""
        finished = last_of(watched(self.env, line, self.events(text, system), place))
        if finished.finish_reason == "cancelled":
            raise Stopped
        if self.pair.notices and not self.quiet:
            line.clear()
        tell_notices(self.env, self.pair, self.quiet)
        return Answer(finished, self.extract)

    def events(self, text: str, system: str | None = None) -> Iterator[Event]:
        """Start to answer. Raises what a prompt that makes no sense raises."""
        session, prompt = self.pair.session, self.ask(text, system)
        check_length(self.pair, prompt, self.limits)
        session.start_over(same_passes=self.pair.config.exact)
        return session.generate(prompt, max_tokens=self.limits.max_tokens, stop=self.limits.stop)
