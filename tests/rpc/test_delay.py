"""A server that is far away: drafting pays there, and finds that out by itself."""

from dataclasses import replace

from specchat.speculative.events import GenerationFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig

from .servers import delayed, needs_rpc, serving

pytestmark = needs_rpc
DELAY = 0.02
TOKENS = 60


def generated(config: PairConfig) -> GenerationFinished:
    with load_pair(config, Interrupt()) as pair:
        *_, finished = pair.session.generate(list(range(1, 40)), max_tokens=TOKENS)
        assert isinstance(finished, GenerationFinished)
        assert finished.error is None
        return finished


def test_one_round_trip_checks_many_tokens(write_tiny_model):
    target, draft = write_tiny_model(seed=5, layers=4), write_tiny_model(seed=5, layers=4, name="Draft")
    with serving() as server, delayed(server.port, DELAY) as endpoint:
        loaded = LlamaConfig(threads=1, rpc=(endpoint,))
        config = PairConfig(
            target=target,
            target_config=loaded,
            draft_config=LlamaConfig(threads=1),
            sampling={"temperature": 0.8},
            seed=1,
        )
        plain = generated(config)
        drafted = generated(replace(config, draft=draft))
    assert plain.tokens == drafted.tokens
    assert plain.stats.predicted_seconds > TOKENS * 2 * DELAY
    assert drafted.stats.rounds < TOKENS / 3
    assert drafted.stats.predicted_seconds < plain.stats.predicted_seconds / 2
