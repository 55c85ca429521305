"""Times one answer, as if it were the first of a new process."""

from collections.abc import Callable
from dataclasses import dataclass

from ..errors import Cancelled
from ..events import GenerationFinished, RoundFinished
from ..rounds import Round
from ..session import Session
from .answer import Answer
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

    def answer(self, variant: Variant, case: Case) -> Answer:
        """The answer of a variant, from empty caches to the last token, what its draft reads included.

        The end token is obeyed. Raises `Cancelled` when the session's interrupt was requested, `PromptTooLongError`.
        """
        prompt = variant.engine.tokens(case.prompt.text)
        session = self._session(variant, case.temperature)
        session.interrupt.check()
        rounds: list[Round] = []
        idle = first_token = 0.0
        started = self.clock()
        for event in session.generate(prompt, max_tokens=self.most):
            match event:
                case RoundFinished(step):
                    now = self.clock()
                    first_token = first_token if rounds else now - started
                    rounds.append(step)
                    self.tick()
                    idle += self.clock() - now
                case GenerationFinished():
                    seconds = self.clock() - started - idle
                    if event.error is not None:
                        raise event.error
                    if event.finish_reason == "cancelled":
                        raise Cancelled
                    return _answer(event, rounds, first_token, seconds)
        raise AssertionError("a generation ends with GenerationFinished")

    def warm_up(self, variant: Variant, case: Case) -> None:
        """Touch the weights once, so that the first answer does not pay for reading the file. Raises `Cancelled`."""
        Runner(most=4, seed=self.seed, clock=self.clock, tick=self.tick).answer(variant, case)

    def _session(self, variant: Variant, temperature: float) -> Session:
        return variant.engine.session.afresh(variant.decoder(temperature), self.seed)


def _answer(finished: GenerationFinished, rounds: list[Round], first_token: float, seconds: float) -> Answer:
    return Answer(
        first_token=first_token,
        seconds=seconds,
        prompt_tokens=finished.stats.prompt_tokens,
        tokens=finished.tokens,
        finish_reason=finished.finish_reason,
        drafted=tuple(len(step.draft) for step in rounds),
        accepted=tuple(step.verdict.accepted for step in rounds),
    )
