"""A pair on this machine, as several benchmarks load it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from specchat.speculative.bench.variants import Engine
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message


@contextmanager
def measured_pair(target: Path, draft: Path, threads: int, context: int = 4096) -> Iterator[Pair]:
    """Both models with the same settings, and what their passes cost."""
    machine = LlamaConfig(threads=threads, n_ctx=context)
    config = PairConfig(target=target, draft=draft, target_config=machine, draft_config=machine)
    with load_pair(config, Interrupt()) as pair:
        pair.measure_costs()
        yield pair


def engine_of(pair: Pair) -> Engine:
    """What answers questions to the pair."""
    return Engine(pair.session, lambda text: pair.chat_tokens([Message("user", text)]))
