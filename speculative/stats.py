"""Rounds added up, and the rates that they give."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from .drafting import FORM, Pause
from .rounds import Round


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationStats:
    """One generation in numbers; times in seconds, rates None where there is nothing to divide by.

    `prompt_seconds` is the time to the first token: reading what the cache lacked of the prompt. Of the draft tokens,
    `tested` were looked at by the target; those behind a rejection never were.
    """

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    prompt_seconds: float
    predicted_seconds: float
    draft_seconds: float
    rounds: int
    drafted: int
    tested: int
    accepted: int
    accepted_per_position: tuple[int, ...]
    """How often the first, second, … token of a draft was accepted."""
    drafted_by: Mapping[str, int]
    """How many guesses each source made."""
    pauses: Mapping[Pause, int]
    """How often plain decoding took over, by what was the reason for most of its rounds."""
    plain_seconds: float | None
    """What the whole would have taken without drafting, by what plain passes took in this run; None if too few did."""

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted / tested: how often a guess that was looked at was right."""
        return _ratio(self.accepted, self.tested)

    @property
    def draft_yield(self) -> float | None:
        """Accepted / drafted, what llama.cpp, vLLM and TensorRT-LLM call the acceptance rate."""
        return _ratio(self.accepted, self.drafted)

    @property
    def tokens_per_round(self) -> float | None:
        """Tokens for each pass of the target, the bonus or correction token included (block efficiency)."""
        return _ratio(self.completion_tokens, self.rounds)

    @property
    def speedup(self) -> float | None:
        """How many times as fast as plain decoding the whole was, the reading of the prompt included."""
        return self.speedup_of(self.prompt_seconds + self.predicted_seconds)

    def speedup_of(self, seconds: float) -> float | None:
        """The same by another clock, for which the whole took so long: one that stood still while others worked."""
        if self.plain_seconds is None:
            return None
        gained = self.plain_seconds - (self.prompt_seconds + self.predicted_seconds)
        return _ratio(seconds + gained, seconds)

    @property
    def prompt_per_second(self) -> float | None:
        """Prompt tokens read in a second; cached ones do not count."""
        return _ratio(self.prompt_tokens - self.cached_tokens, self.prompt_seconds)

    @property
    def predicted_per_second(self) -> float | None:
        """Tokens generated in a second, by llama-server's definition: all tokens over the time since the first."""
        return _ratio(self.completion_tokens, self.predicted_seconds)


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def generation_stats(
    rounds: Sequence[Round],
    *,
    prompt_tokens: int,
    cached_tokens: int,
    completion_tokens: int,
    prompt_seconds: float,
    predicted_seconds: float,
) -> GenerationStats:
    """Add up the rounds of one generation."""
    longest = max((step.accepted for step in rounds), default=0)
    return GenerationStats(
        prompt_tokens=prompt_tokens,
        cached_tokens=cached_tokens,
        completion_tokens=completion_tokens,
        prompt_seconds=prompt_seconds,
        predicted_seconds=predicted_seconds,
        draft_seconds=sum(step.draft_seconds for step in rounds),
        rounds=len(rounds),
        drafted=sum(step.draft.guessed for step in rounds),
        tested=sum(step.tested for step in rounds),
        accepted=sum(step.accepted for step in rounds),
        accepted_per_position=tuple(sum(step.accepted > place for step in rounds) for place in range(longest)),
        drafted_by=_drafted_by(rounds),
        pauses=_pauses(rounds[1:]),
        plain_seconds=_plain_seconds(rounds, prompt_seconds + predicted_seconds),
    )


def _drafted_by(rounds: Sequence[Round]) -> Mapping[str, int]:
    guesses: Counter[str] = Counter()
    for draft in (step.draft for step in rounds):
        guesses.update(FORM if guess.is_forced else draft.source for guess in draft.guesses[: draft.guessed])
    return guesses


def _pauses(rounds: Sequence[Round]) -> Mapping[Pause, int]:
    """The runs of rounds that drafted nothing, counted by their most frequent reason."""
    runs = [[step.draft.pause for step in run] for plain, run in groupby(rounds, lambda step: not step.draft) if plain]
    reasons = [Counter(reason for reason in run if reason).most_common(1) for run in runs]
    return Counter(most[0][0] for most in reasons if most)


def _plain_seconds(rounds: Sequence[Round], whole: float) -> float | None:
    """The time of the `whole` with every draft replaced by plain passes; the first round only reads the prompt."""
    known = rounds[-1].plain_seconds if rounds else None
    if known is None:
        return None
    saved = sum(step.seconds_undrafted(known) - step.target_seconds for step in rounds[1:])
    return whole + saved - sum(step.draft_seconds for step in rounds)
