"""What drafting gains for a target on other machines, by how long the way to them is.

    python -m benchmarks.rpc_delay TARGET [--draft DRAFT] [--servers 2] [--delays 0,1,5,20]

The servers are on this machine, and what goes to them or comes from them arrives so many milliseconds later. Draft
lengths adapt, from costs that are measured anew for each way. Takes a build of llama.cpp with RPC.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message
from tests.real.same_text import PROMPTS
from tests.rpc.servers import delayed, serving

KINDS = ("edit", "code", "list", "prose")


@dataclass(frozen=True)
class Way:
    """How texts were generated: in how many tokens a second, and with how many tokens a pass."""

    texts: tuple[tuple[int, ...], ...]
    speed: float
    tokens_per_pass: float


@contextmanager
def reached(servers: int, milliseconds: float) -> Iterator[tuple[str, ...]]:
    """The endpoints of so many servers, so far away."""
    with ExitStack() as opened:
        ports = [opened.enter_context(serving()).port for _ in range(servers)]
        yield tuple(opened.enter_context(delayed(port, milliseconds / 1000)) for port in ports)


def generated(config: PairConfig, tokens: int) -> Way:
    """All kinds of text, after one that nobody times."""
    with load_pair(config, Interrupt()) as pair:
        pair.measure_costs()
        finished = []
        for kind in ("summary", *KINDS):
            prompt = pair.chat_tokens([Message("user", PROMPTS[kind])])
            *_, last = pair.session.generate(prompt, max_tokens=tokens, seed=1)
            assert isinstance(last, GenerationFinished)
            assert last.error is None, last.error
            finished.append(last)
    timed = finished[1:]
    seconds = sum(each.stats.predicted_seconds for each in timed)
    n_tokens, rounds = sum(len(each.tokens) for each in timed), sum(each.stats.rounds for each in timed)
    return Way(tuple(tuple(each.tokens) for each in timed), n_tokens / seconds, n_tokens / rounds)


def main(arguments: Sequence[str] | None = None) -> None:
    """One line for each delay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", type=Path)
    parser.add_argument("--draft", type=Path, help="n-grams alone without one")
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--delays", default="0,1,5,20", help="milliseconds in either direction")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args(arguments)
    local = LlamaConfig(threads=asked.threads, n_ctx=4096)
    for delay in map(float, asked.delays.split(",")):
        with reached(asked.servers, delay) as endpoints:
            config = PairConfig(
                target=asked.target,
                target_config=replace(local, rpc=endpoints),
                draft_config=local,
                sampling={"temperature": 0.0},
            )
            plain = generated(config, asked.tokens)
            drafted = generated(replace(config, draft=asked.draft or "ngram"), asked.tokens)
        same = sum(one == other for one, other in zip(plain.texts, drafted.texts, strict=True))
        print(
            f"{delay:g} ms: plain {plain.speed:.1f} tokens/s, drafted {drafted.speed:.1f} tokens/s, "
            f"{drafted.speed / plain.speed:.2f} times as fast, {drafted.tokens_per_pass:.2f} tokens a pass, "
            f"{same} of {len(KINDS)} texts the same",
            flush=True,
        )


if __name__ == "__main__":
    main()
