"""What is asked: packaged prompts of ten kinds, in two sets."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

KINDS = ("code", "prose", "edit", "question", "json", "story", "translation", "maths", "list", "summary")
"""In the order in which they are measured: where the time is short, the first ones tell most."""
QUICK_KINDS = KINDS[:4]
HELD_OUT_SET = 2
"""Nothing is ever tuned on it; defaults and rules are tuned on set 1."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a model, and the kind of text that it asks for."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """A prompt at a temperature; 0 takes the likeliest token."""

    prompt: Prompt
    temperature: float


def packaged_prompts(kinds: Iterable[str], number: int) -> tuple[Prompt, ...]:
    """The prompts of these kinds out of set `number`."""
    folder = files(__package__) / "prompts"
    texts = {kind: (folder / f"{kind}-{number}.txt").read_text(encoding="utf-8") for kind in kinds}
    return tuple(Prompt(kind, text.strip()) for kind, text in texts.items())


def cases_of(prompts: Iterable[Prompt], temperatures: Iterable[float]) -> tuple[Case, ...]:
    """Every prompt at every temperature."""
    wanted = tuple(dict.fromkeys(temperatures))
    return tuple(Case(prompt, temperature) for prompt in prompts for temperature in wanted)
