"""The first token of a long prompt, cold and with what an earlier run kept, and whether both runs say the same.

    python -m benchmarks.warm_start TARGET [--draft DRAFT] [--tokens 6000] [--threads 1] [--cache-type-v q8_0]

With a draft, also what its reading takes against taking its state back from the disk.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.state_file import KeptTokens, read_state, write_state
from specchat.speculative.state_places import StatePlace, kept_bytes

_ANSWER = 48
_ROOT = Path(__file__).parents[1]


def document() -> str:
    """Text of this repository, long enough for any context."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted((_ROOT / "speculative").glob("*.py")))


def answer(config: PairConfig, length: int, question: str) -> tuple[GenerationFinished, float, float]:
    """How a process of its own answers, the seconds to its first token, and those of ending."""
    pair = load_pair(config, Interrupt())
    prompt = pair.text_tokens(document(), special=False)[:length] + pair.inner_tokens(question)
    *_, finished = pair.session.generate(prompt, max_tokens=_ANSWER)
    assert isinstance(finished, GenerationFinished)
    started = perf_counter()
    pair.close()
    print(*pair.take_notices(), sep="\n", end="")
    return finished, finished.stats.prompt_seconds, perf_counter() - started


def draft_state(path: Path, config: LlamaConfig, length: int, folder: Path) -> str:
    """What reading takes a draft, and what its state does."""
    with LlamaModel.load(path, config) as model:
        tokens = model.vocabulary.tokenize_plain(document())[:length]
        started = perf_counter()
        model.decode(tokens, 1)
        reading = perf_counter() - started
        started = perf_counter()
        state = model.save_state()
        write_state(folder / "draft", "draft", KeptTokens(tokens, 0, reading / length, len(state)), state)
        writing = perf_counter() - started
        started = perf_counter()
        kept, content = read_state(folder / "draft", "draft")
        assert model.load_state(kept.tokens, content)
        loading = perf_counter() - started
    return f"draft: reads {reading:.2f} s, writes {writing:.2f} s, loads {loading:.2f} s, {len(state) / 1e6:.0f} MB"


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
    with TemporaryDirectory() as folder:
        states = StatePlace(Path(folder) / "states", is_folder=True, least_seconds=1.0, as_new=not given.goes_on)
        plain = PairConfig(target=given.target, draft="ngram", target_config=loaded, sampling={"temperature": 0.7})
        kept = PairConfig(
            target=given.target, draft="ngram", target_config=loaded, sampling={"temperature": 0.7}, states=states
        )
        question = "\n# What the code above does, in a sentence:\n#"
        cold, cold_seconds, ending = answer(kept, given.tokens, question)
        print(f"cold: first token after {cold_seconds:.2f} s; ends in {ending:.2f} s, {kept_bytes(states.path)} bytes")
        warm, warm_seconds, ending = answer(kept, given.tokens, question)
        print(f"warm: first token after {warm_seconds:.2f} s, {cold_seconds / warm_seconds:.0f} times as fast")
        print(f"cached {warm.stats.cached_tokens} of {warm.stats.prompt_tokens}; ends in {ending:.2f} s")
        print(f"same text: {warm.tokens == cold.tokens}")
        other = "\n# One more thing to say about this:\n#"
        warm, warm_seconds, ending = answer(kept, given.tokens, other)
        print(f"another question, warm: first token after {warm_seconds:.2f} s; ends in {ending:.2f} s", flush=True)
        if given.draft:
            settings = LlamaConfig(n_ctx=given.tokens + 512, threads=given.threads, max_rows=1)
            print(draft_state(given.draft, settings, given.tokens, Path(folder)), flush=True)
        cold, cold_seconds, _ = answer(plain, given.tokens, other)
        print(f"another question, cold: {cold_seconds:.2f} s; same text: {warm.tokens == cold.tokens}")


if __name__ == "__main__":
    main()
