"""The end of the context, which may come anywhere in a round."""

from contextlib import ExitStack
from dataclasses import dataclass, replace

import llama_cpp
import pytest

from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import ModelDrafter, NoDrafter, window
from specchat.speculative.events import GenerationFinished
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session

CONFIG = LlamaConfig(n_ctx=40, n_batch=16, threads=1, cache_type_k="f32", cache_type_v="f32", flash_attention="off")
TEXT = [(17 * place) % 256 for place in range(CONFIG.n_ctx)]


def session(target, drafter, length):
    decoder = SpeculativeDecoder(
        target, drafter, FixedLength(length), SamplerChain(SamplingParams(temperature=0.0)), lambda token: False
    )
    return Session(decoder, lambda token: b"x", CONFIG.n_ctx, CONFIG.n_batch, seed=0)


def finish(session, prompt) -> GenerationFinished:
    *_, last = session.generate(prompt)
    assert isinstance(last, GenerationFinished)
    return last


@dataclass
class Watched:
    """Calls that are passed on; knows where the last token stands that was in a cache when it was asked."""

    last: int = -1

    def __call__(self, function, *arguments):
        result = function(*arguments)
        if function is llama_cpp.llama_memory_seq_pos_max:
            self.last = result
        return result


def is_intact(model, watched, *texts):
    """Whether llama.cpp and we agree about what is cached, which one of the texts begins with."""
    length = len(model.cached)
    known = any(model.cached == list(text[:length]) for text in texts)
    return model.rollback(length) == length == watched.last + 1 and known


@pytest.mark.parametrize("length", [1, 3, 6])
@pytest.mark.parametrize("draft_ctx", [0, 7])
@pytest.mark.parametrize(
    ("target", "draft"), [("llama", "llama"), ("llama", "mamba"), ("jamba", "llama"), ("lfm2",) * 2]
)
def test_a_text_ends_where_the_context_does_wherever_the_prompt_ended(
    write_tiny_model, target, draft, draft_ctx, length
):
    small = {"layers": 2, "width": 32}
    with ExitStack() as opened:
        path, n_ctx = write_tiny_model(architecture=target, **small), CONFIG.n_ctx - draft_ctx
        target_calls, draft_calls = Watched(), Watched()
        big = opened.enter_context(LlamaModel.load(path, CONFIG, call=target_calls))
        plain = opened.enter_context(LlamaModel.load(path, CONFIG))
        path = write_tiny_model(architecture=draft, **small, noise=0.05)
        little = opened.enter_context(LlamaModel.load(path, replace(CONFIG, n_ctx=n_ctx), call=draft_calls))
        drafted = session(big, ModelDrafter(little, lambda token: False, n_ctx, 300), length)
        oracle = session(plain, NoDrafter(), 0)
        for size in range(1, CONFIG.n_ctx):
            finished = finish(drafted, TEXT[:size])
            assert (finished.finish_reason, finished.error) == ("context_full", None)
            assert finished.tokens == finish(oracle, TEXT[:size]).tokens
            whole = [*TEXT[:size], *finished.tokens]
            assert len(whole) == CONFIG.n_ctx
            assert is_intact(big, target_calls, whole)
            little.rollback(max(0, len(little.cached) - length))  # its last guesses may be wrong
            assert is_intact(little, draft_calls, *(window(whole[:end], n_ctx) for end in range(len(whole) + 1)))
