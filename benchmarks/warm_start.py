"""The first token of a long prompt, cold and with what an earlier run kept, and whether both runs say the same.

    python -m benchmarks.warm_start TARGET [--draft DRAFT] [--tokens 6000] [--threads 1] [--cache-type-v q8_0]

With a draft, also how long that is at its first guesses, for which it reads the prompt or takes its state back.
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from specchat.speculative.events import GenerationFinished, RoundFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.state_places import StatePlace, kept_bytes

_ANSWER = 48
_DRAFTED = 4
_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Run:
    """What a process of its own answered, the seconds to its first token and its first guesses, and those of ending."""

    finished: GenerationFinished
    guessing: float
    ending: float

    @property
    def first_token(self) -> float:
        """Seconds."""
        return self.finished.stats.prompt_seconds

    @property
    def told(self) -> str:
        """In a line."""
        stats = self.finished.stats
        return (
            f"first token after {self.first_token:.2f} s, first guesses in {self.guessing:.2f} s; cached "
            f"{stats.cached_tokens} of {stats.prompt_tokens} tokens; ends in {self.ending:.2f} s"
        )


def document() -> str:
    """Text of this repository, long enough for any context."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((_ROOT / "speculative").glob("*.py")))


def answer(config: PairConfig, length: int, question: str) -> Run:
    """How a process of its own answers."""
    pair = load_pair(config, Interrupt())
    prompt = pair.text_tokens(document(), special=False)[:length] + pair.inner_tokens(question)
    events = list(pair.session.generate(prompt, max_tokens=_ANSWER))
    finished, rounds = events[-1], [each.round for each in events if isinstance(each, RoundFinished)]
    assert isinstance(finished, GenerationFinished)
    guessing = next((each.draft_seconds for each in rounds if each.draft), 0.0)
    started = perf_counter()
    pair.close()
    print(*pair.take_notices(), sep="\n", end="")
    return Run(finished, guessing, perf_counter() - started)


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("--draft", type=Path)
    parser.add_argument("--tokens", type=int, default=6000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--cache-type-v", default="q8_0")
    parser.add_argument("--goes-on", action="store_true", help="reuse all, as sessions do, and not whole passes alone")
    given = parser.parse_args()
    loaded = LlamaConfig(n_ctx=given.tokens + 512, threads=given.threads, cache_type_v=given.cache_type_v)
    plain = PairConfig(
        target=given.target,
        draft=given.draft or "ngram",
        draft_length=_DRAFTED if given.draft else None,  # the draft is asked at once
        target_config=loaded,
        draft_config=LlamaConfig(threads=given.threads),
        sampling={"temperature": 0.7},
    )
    with TemporaryDirectory() as folder:
        states = StatePlace(Path(folder) / "states", is_folder=True, least_seconds=1.0, as_new=not given.goes_on)
        kept = replace(plain, states=states)
        question = "\n# What the code above does, in a sentence:\n#"
        cold = answer(kept, given.tokens, question)
        print(f"cold: {cold.told}; {kept_bytes(states.path)} bytes", flush=True)
        warm = answer(kept, given.tokens, question)
        print(f"warm: {warm.told}; {cold.first_token / warm.first_token:.0f} times as fast; ", end="")
        print(f"same text: {warm.finished.tokens == cold.finished.tokens}", flush=True)
        other = "\n# One more thing to say about this:\n#"
        warm = answer(kept, given.tokens, other)
        print(f"another question, warm: {warm.told}", flush=True)
        cold = answer(plain, given.tokens, other)
        print(f"another question, cold: {cold.told}; same text: {warm.finished.tokens == cold.finished.tokens}")


if __name__ == "__main__":
    main()
