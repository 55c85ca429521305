"""Answers and pairs out of a few numbers."""

from specchat.speculative.bench.answer import Answer, Pairing
from specchat.speculative.bench.cases import Case, Prompt
from specchat.speculative.events import FinishReason

CODE, PROSE = Case(Prompt("code", "Write a loop."), 0.8), Case(Prompt("prose", "Write a poem."), 0.8)


def answer(
    seconds: float,
    tokens: int = 11,
    *,
    first_token: float = 1.0,
    looping: bool = False,
    end: FinishReason = "length",
    drafted: tuple[int, ...] = (),
    accepted: tuple[int, ...] = (),
) -> Answer:
    """An answer that took so long."""
    return Answer(
        first_token=first_token,
        seconds=seconds,
        prompt_tokens=5,
        tokens=(7,) * 60 if looping else tuple(range(tokens)),
        finish_reason=end,
        drafted=drafted,
        accepted=accepted,
    )


def pairing(speedup: float, case: Case = CODE, variant: str = "adaptive", *, looping: bool = False) -> Pairing:
    """A pair with this speed-up; of three rounds one drafted nothing, and of the four drafted tokens two were right."""
    other = answer(12.0 / speedup, drafted=(0, 2, 2), accepted=(0, 2, 0), looping=looping)
    return Pairing(case, variant, answer(12.0, looping=looping), other)
