"""One answer in the making: rounds in, events out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from time import perf_counter

from .constraint.constraint import Constraint
from .decoder import SpeculativeDecoder
from .errors import Cancelled, IncompleteError, SpecchatError
from .events import Event, FinishReason, GenerationFinished, PromptProgress, RoundFinished, TextChunk
from .interrupt import Interrupt
from .model import read_ahead
from .reading import Settled
from .reasoning.marking import marked, settled
from .reasoning.spans import Phase
from .reasoning.stream import AnswerStream
from .rounds import Round
from .stats import generation_stats
from .verification import Verification


@dataclass(slots=True, kw_only=True)
class Generation:
    """Reads the prompt that `context` holds and generates after it, in place, until one of the ends is reached.

    `piece` gives the bytes of a token; `settle` is called first and says how much of the context may be reused from
    the cache; `has_read` is told how many tokens were read in how many seconds; `room` is how many tokens may be added,
    and `full` names the reason when they all were.
    """

    decoder: SpeculativeDecoder
    piece: Callable[[int], bytes]
    context: list[int]
    settle: Callable[[], Settled]
    has_read: Callable[[int, float], None]
    n_batch: int
    room: int
    full: FinishReason
    seed: int
    index: int
    verification: Verification
    stream: AnswerStream
    interrupt: Interrupt
    constraint: Constraint | None = None
    _n_prompt: int = 0
    _n_cached: int = 0
    _rounds: list[Round] = field(default_factory=list)
    _phases: list[Phase] = field(default_factory=list)
    """What the text was behind each token."""
    _reason: FinishReason | None = None
    _error: SpecchatError | None = None

    def events(self) -> Iterator[Event]:
        """Everything that happens, `GenerationFinished` last."""
        self._n_prompt = len(self.context)
        started, first_token = perf_counter(), 0.0
        try:
            settled = self.settle()
            reading_since = perf_counter()
            yield from self._read_prompt(settled)
            for step in self.decoder.rounds(self.context, self.room, self.verification, self.index, self.constraint):
                if not first_token:
                    first_token = perf_counter()
                    self.has_read(self._n_prompt - self._n_cached, first_token - reading_since)
                self._rounds.append(step)
                yield from self._say(step)
                self._mark()
                yield RoundFinished(self._rounds[-1])
                if self.stream.stopped:
                    break
                self.interrupt.check()
        except Cancelled:
            self.interrupt.clear()
            self._reason = "cancelled"
        except SpecchatError as error:
            self._reason, self._error = "error", error
        finished = perf_counter()
        first_token = first_token or finished
        for span in self.stream.finish():
            yield TextChunk(span.text, from_draft=False, is_reasoning=span.is_reasoning)
        yield self._finished(first_token - started, finished - first_token)

    def _read_prompt(self, settled: Settled) -> Iterator[Event]:
        self._n_cached = -1
        for read in read_ahead(self.decoder.target, self.context, settled.kept, self.n_batch):
            self._n_cached = read if self._n_cached < 0 else self._n_cached
            yield PromptProgress(read, self._n_prompt, self._n_cached, min(settled.recalled, self._n_cached))
            self.interrupt.check()

    def _say(self, step: Round) -> Iterator[Event]:
        """Show the tokens of a round; behind a stop string the rest of it is taken back."""
        start = len(self.context) - len(step.tokens)
        for place, token in enumerate(step.tokens):
            if self.decoder.is_end(token):
                self._reason = "stop"
                self._phases.append(self.stream.phase)
                return
            for span in self.stream.push(self.piece(token)):
                yield TextChunk(span.text, from_draft=place < step.accepted, is_reasoning=span.is_reasoning)
            self._phases.append(self.stream.phase)
            if self.stream.stopped:
                self._reason = "stop_string"
                del self.context[start + place + 1 :]
                self._rounds[-1] = replace(step, tokens=step.tokens[: place + 1], scored=step.scored[: place + 1])
                return

    def _mark(self) -> None:
        """Mark those of the scored tokens of the last round that are reasoning."""
        step = self._rounds[-1]
        if step.scored:
            self._rounds[-1] = replace(step, scored=marked(step.scored, self._phases[-len(step.scored) :]))

    def _finished(self, prompt_seconds: float, predicted_seconds: float) -> GenerationFinished:
        tokens = tuple(self.context[self._n_prompt :])
        stats = generation_stats(
            self._rounds,
            prompt_tokens=self._n_prompt,
            cached_tokens=max(0, self._n_cached),
            completion_tokens=len(tokens),
            prompt_seconds=prompt_seconds,
            predicted_seconds=predicted_seconds,
        )
        return GenerationFinished(
            text=self.stream.text,
            tokens=tokens,
            finish_reason=self._reason or self.full,
            seed=self.seed,
            stats=stats,
            error=self._error,
            reasoning=self.stream.reasoning,
            scored=settled([token for step in self._rounds for token in step.scored]),
            complete=self._complete(),
        )

    def _complete(self) -> bool | None:
        """Whether the answer has all of the form that was asked for; what a stop string cut lacks something."""
        if self.constraint is None:
            return None
        try:
            return self._error is None and self._reason != "stop_string" and self.constraint.complete
        except IncompleteError:  # too hard to follow: then nobody knows
            return False
