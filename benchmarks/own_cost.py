"""What the loop itself costs: the time outside llama.cpp and the memory beside the models.

    python -m benchmarks.own_cost TARGET DRAFT

Bars at a vocabulary of 152k: 0.5 ms for each verified row and for each drafted token, 3 % of the generation time, and
650 MB of memory at `-c 4096` beside both files, both KV caches and the weights that llama.cpp repacks.
"""

import argparse
import argparse as long_source
import contextlib
import inspect
import io
import re
import textwrap as short_source
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import llama_cpp
import numpy as np

from specchat.speculative.drafting import Drafter, Guess, Offer, Propose
from specchat.speculative.events import RoundFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.backend import start_backend
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig

FUNCTIONS = ("llama_decode", "llama_synchronize", "llama_get_logits", "llama_memory_seq_rm")
CONTEXTS = [200, 4000]
N_CTX = 4096
MIB = 2**20


@dataclass
class LlamaClock:
    """The seconds spent inside llama.cpp so far; abort callbacks, which run Python in there, count as llama.cpp's."""

    seconds: float = 0.0

    def watch(self) -> None:
        """Time every call of llama.cpp that the loop makes."""
        for name in FUNCTIONS:
            setattr(llama_cpp, name, self._timed(getattr(llama_cpp, name)))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            started = perf_counter()
            try:
                return function(*arguments)
            finally:
                self.seconds += perf_counter() - started

        return timed


class CountingInterrupt(Interrupt):
    """Counts how often llama.cpp asks whether to go on."""

    __slots__ = ("looks",)

    def __init__(self) -> None:
        self.looks = 0

    @property
    def requested(self) -> bool:
        """Never."""
        self.looks += 1
        return False

    @requested.setter
    def requested(self, value: bool) -> None:
        pass


@dataclass
class WatchedDrafter:
    """A drafter that notes what part of each draft llama.cpp took."""

    drafter: Drafter
    clock: LlamaClock
    llama_seconds: float = 0.0

    def offers(self, context: Sequence[int], propose: Propose) -> Sequence[Offer]:
        """What the drafter offers."""
        return [replace(offer, guesses=self._watched(offer.guesses)) for offer in self.drafter.offers(context, propose)]

    def _watched(self, guesses: Iterator[Guess]) -> Iterator[Guess]:
        before = self.clock.seconds
        for guess in guesses:
            self.llama_seconds = self.clock.seconds - before
            yield guess

    def close(self) -> None:
        """The pair closes it."""


@dataclass
class Costs:
    """Milliseconds for each round of a few generations, and the sums in seconds."""

    per_row: list[float] = field(default_factory=list)
    per_draft_token: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    per_second: list[float] = field(default_factory=list)


def measure(pair: Pair, clock: LlamaClock, prompt: list[int], tokens: int, repeats: int) -> Costs:
    """Generate after `prompt` a few times; the first generation reads it and is not counted."""
    watched = WatchedDrafter(pair.session.decoder.drafter, clock)
    session = pair.session.afresh(replace(pair.session.decoder, drafter=watched), pair.session.seed)
    costs = Costs()
    for repeat in range(repeats + 1):
        measured = generation(session.generate(prompt, max_tokens=tokens), clock, watched)
        if repeat:
            costs.per_row += measured.per_row
            costs.per_draft_token += measured.per_draft_token
            costs.shares += measured.shares
            costs.per_second += measured.per_second
    return costs


def generation(events: Iterator[Any], clock: LlamaClock, watched: WatchedDrafter) -> Costs:
    """The costs of one generation; its first round reads the prompt and is left out."""
    costs, own, count = Costs(), 0.0, 0
    started = last = last_llama = 0.0
    for event in events:
        if not isinstance(event, RoundFinished):
            continue
        now, llama = perf_counter(), clock.seconds
        step = event.round
        if last:
            draft_own = step.draft_seconds - watched.llama_seconds
            all_own = (now - last) - (llama - last_llama)
            own += all_own
            count += len(step.tokens)
            costs.per_row.append((all_own - draft_own) / len(step.verdict.tokens) * 1e3)
            if step.draft.tokens:
                costs.per_draft_token.append(draft_own / len(step.draft.tokens) * 1e3)
        else:
            started = now
        last, last_llama = now, llama
    costs.shares.append(own / (last - started) * 100)
    costs.per_second.append(count / (last - started))
    return costs


def buffers(log: str) -> dict[str, float]:
    """The sizes in MiB that llama.cpp's log names, added up by kind."""
    sizes: dict[str, float] = defaultdict(float)
    for name, size in re.findall(r"([\w ]+ buffer size)\s*=\s*([\d.]+) MiB", log):
        sizes[name.strip()] += float(size)
    return dict(sizes)


def peak_memory() -> float:
    """The most memory this process had so far, in MiB."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [peak] = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(peak) / 1024


def report_memory(sizes: dict[str, float], files: Sequence[Path], before: float) -> None:
    """Print what the peak is made of."""
    in_files = sum(file.stat().st_size for file in files) / MIB
    caches = sum(size for name, size in sizes.items() if "KV buffer" in name)
    repacked = sum(size for name, size in sizes.items() if "REPACK" in name)
    peak = peak_memory()
    for name, size in sorted(sizes.items()):
        print(f"  {name}: {size:.1f} MiB")
    print(f"Python and its libraries before loading: {before:.0f} MiB")
    print(f"peak {peak:.0f} MiB - files {in_files:.0f} - KV caches {caches:.0f} = {peak - in_files - caches:.0f} MiB")
    rest = (peak - in_files - caches) * MIB / 1e6
    print(f"that is {rest:.0f} MB, {rest - repacked * MIB / 1e6:.0f} MB without repacked weights; the bar is 650 MB")


def spread(values: Sequence[float]) -> str:
    """Median and 90th percentile."""
    return f"median {np.median(values):.3f}, p90 {np.percentile(values, 90):.3f} (n = {len(values)})"


def load(config: PairConfig, interrupt: Interrupt) -> tuple[Pair, str]:
    """The pair, and what llama.cpp said while it loaded."""
    log = io.StringIO()
    with contextlib.redirect_stderr(log):
        pair = load_pair(config, interrupt)
    start_backend().verbose = False
    return pair, log.getvalue()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("draft", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=90)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--contexts", type=int, nargs="+", default=CONTEXTS)
    arguments = parser.parse_args()
    before = peak_memory()
    settings = LlamaConfig(n_ctx=N_CTX, threads=arguments.threads, verbose=True)
    config = PairConfig(
        target=arguments.target,
        draft=arguments.draft,
        target_config=settings,
        draft_config=settings,
        sampling={"temperature": 0.8, "top_k": 40},
        draft_length=5,
    )
    interrupt, clock = CountingInterrupt(), LlamaClock()
    pair, log = load(config, interrupt)
    clock.watch()
    with pair:
        source = inspect.getsource(short_source) + inspect.getsource(long_source)
        text = pair.text_tokens(source, special=False)
        print(f"vocabulary {pair.target.vocabulary.n_tokens}, {arguments.tokens} tokens, {arguments.repeats} times")
        for length in arguments.contexts:
            looks = interrupt.looks
            costs = measure(pair, clock, text[:length], arguments.tokens, arguments.repeats)
            print(f"context {length}: {np.median(costs.per_second):.1f} tokens/s")
            print(f"  ms for each verified row: {spread(costs.per_row)}")
            print(f"  ms for each drafted token: {spread(costs.per_draft_token)}")
            print(f"  % of the generation time: {', '.join(f'{share:.2f}' for share in costs.shares)}")
            print(f"  abort callbacks, all passes together: {interrupt.looks - looks}")
        report_memory(buffers(log), (arguments.target, arguments.draft), before)


if __name__ == "__main__":
    main()
