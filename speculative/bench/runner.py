"""Times answers, each as if it were the first of a new process."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..errors import Cancelled
from ..events import Event, GenerationFinished, PromptProgress, RoundFinished
from ..rounds import Round
from .answer import Answer, Pairing
from .cases import Case
from .variants import Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """Answers cases with at most `most` tokens; every answer to a case has the same `seed`, so the same text.

    `clock` counts seconds. `tick` is called after each round, for whoever shows progress; its time does not count.
    """

    most: int
    seed: int
    clock: Callable[[], float]
    tick: Callable[[], None] = lambda: None

    def race(self, plain: Variant, other: Variant, case: Case, other_first: bool = False) -> Pairing:
        """Both answers side by side, a round of the one and a round of the other, so that both stay equally far.

        A machine changes its speed within seconds, and between two whole answers by more than what is to be measured;
        it does not between two rounds. The two need caches of their own. Raises as `answer` does.
        """
        left, right = self._start(plain, case), self._start(other, case)
        last = left if other_first else right
        while unfinished := [run for run in (left, right) if run.answer is None]:
            last = min(unfinished, key=lambda run: (run.position, run is last))
            self._go_on(last)
        assert left.answer is not None
        assert right.answer is not None
        return Pairing(case, other.name, left.answer, right.answer)

    def answer(self, variant: Variant, case: Case) -> Answer:
        """The answer of a variant, from empty caches to the last token, what its draft reads included.

        The end token is obeyed. Raises `Cancelled` when the session's interrupt was requested, `PromptTooLongError`.
        """
        run = self._start(variant, case)
        while run.answer is None:
            self._go_on(run)
        return run.answer

    def warm_up(self, variant: Variant, case: Case) -> None:
        """Touch the weights once, so that the first answer does not pay for reading the file. Raises `Cancelled`."""
        Runner(most=4, seed=self.seed, clock=self.clock, tick=self.tick).answer(variant, case)

    def _start(self, variant: Variant, case: Case) -> "_Run":
        prompt = variant.engine.tokens(case.prompt.text)
        session = variant.engine.session.afresh(variant.decoder(case.temperature), self.seed)
        session.interrupt.check()
        return _Run(session.generate(prompt, max_tokens=self.most), self.clock)

    def _go_on(self, run: "_Run") -> None:
        if run.advance():
            self.tick()


@dataclass(slots=True)
class _Run:
    """An answer in the making. Only the time within `advance` is its own; `position` is how much is read or said."""

    events: Iterator[Event]
    clock: Callable[[], float]
    position: int = 0
    answer: Answer | None = None
    _seconds: float = 0.0
    _first_token: float = 0.0
    _rounds: list[Round] = field(default_factory=list)

    def advance(self) -> bool:
        """Read a piece of the prompt, do a round, or finish; returns whether it was a round."""
        started = self.clock()
        event = self._next_step()
        self._seconds += self.clock() - started
        match event:
            case PromptProgress(n_read):
                self.position = n_read
            case RoundFinished(step):
                self._first_token = self._first_token if self._rounds else self._seconds
                self._rounds.append(step)
                self.position += len(step.tokens)
                return True
            case GenerationFinished():
                self.answer = self._answer(event)
        return False

    def _next_step(self) -> Event:
        steps = (PromptProgress, RoundFinished, GenerationFinished)
        return next(event for event in self.events if isinstance(event, steps))

    def _answer(self, finished: GenerationFinished) -> Answer:
        if finished.error is not None:
            raise finished.error
        if finished.finish_reason == "cancelled":
            raise Cancelled
        return Answer(
            first_token=self._first_token,
            seconds=self._seconds,
            prompt_tokens=finished.stats.prompt_tokens,
            tokens=finished.tokens,
            finish_reason=finished.finish_reason,
            drafted=tuple(len(step.draft) for step in self._rounds),
            accepted=tuple(step.verdict.accepted for step in self._rounds),
            shown=finished.stats.speedup_of(self._seconds),
        )
