"""Whatever fails in llama.cpp, and whenever: no wrong text, and a session that goes on."""

from contextlib import ExitStack
from random import Random

import pytest

from specchat.speculative.decoder import SpeculativeDecoder
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import ModelDrafter, NoDrafter
from specchat.speculative.errors import DecodeError
from specchat.speculative.events import GenerationFinished
from specchat.speculative.lazy import ForgivingDrafter
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.sampling import SamplerChain, SamplingParams
from specchat.speculative.session import Session

from .faults import Faults

# Without flash attention passes of different lengths agree to 1e-5 on these models.
CONFIG = LlamaConfig(n_ctx=256, n_batch=32, threads=1, cache_type_k="f32", cache_type_v="f32", flash_attention="off")
PAIRS = {
    "llama": "llama",
    "mamba": "mamba",
    "jamba": "jamba",
    "lfm2": "lfm2",
    "gemma2": "gemma2",
    "llama with mamba": "mamba",
    "jamba with llama": "llama",
}
SMALL = {"layers": 2, "width": 32}


def session(target, drafter, length):
    chain = SamplerChain(SamplingParams(temperature=1.0))
    decoder = SpeculativeDecoder(target, drafter, FixedLength(length), chain, target.vocabulary.is_end)
    return Session(decoder, target.vocabulary.piece, CONFIG.n_ctx, CONFIG.n_batch, seed=0, interrupt=target.interrupt)


def finish(session, prompt, count, seed) -> GenerationFinished:
    *_, last = session.generate(prompt, max_tokens=count, seed=seed)
    assert isinstance(last, GenerationFinished)
    return last


class Scene:
    """Models that are loaded once for many schedules of faults."""

    def __init__(self, opened, target, draft):
        self.faults = Faults(Random(0), rarity=10, on=False)
        self.target = opened.enter_context(LlamaModel.load(target, CONFIG, call=self.faults))
        self.draft = opened.enter_context(LlamaModel.load(draft, CONFIG, call=self.faults))
        self.plain = session(opened.enter_context(LlamaModel.load(target, CONFIG)), NoDrafter(), 0)

    def expected(self, prompt, count, seed):
        finished = finish(self.plain, prompt, count, seed)
        assert finished.error is None
        return finished.tokens

    def play(self, number):
        """A chat under a schedule of faults; the number of them, and of answers that they ended."""
        chance = Random(number)
        rarity = chance.choice((3, 10, 30, 100))
        faults = self.faults
        faults.chance, faults.rarity, faults.on, faults.failed = Random(number), rarity, True, 0
        ended, text = 0, [1, 2, 3]
        drafter = ModelDrafter(self.draft, self.target.vocabulary.is_end, CONFIG.n_ctx, 300)
        talk = session(self.target, ForgivingDrafter(drafter, lambda error: None), chance.randrange(1, 7))
        healed = session(self.target, drafter, 3)
        for seed in range(6):
            if seed == 5:
                faults.on, talk = False, healed
            if chance.randrange(3) == 0:  # taken back
                text = text[: max(3, len(text) - chance.randrange(40))]
            text += [chance.randrange(256) for _ in range(chance.randrange(1, 50))]
            text = text[-150:]
            count = chance.randrange(1, 20)
            finished = finish(talk, text, count, seed)
            expected = self.expected(text, count, seed)
            match finished.finish_reason:
                case "error":
                    assert isinstance(finished.error, DecodeError)
                    assert finished.error.message.endswith(".")
                    ended += 1
                case "cancelled":
                    ended += 1
                case _:
                    assert finished.tokens == expected
            assert finished.tokens == expected[: len(finished.tokens)]
            assert faults.on or finished.error is None
            text += finished.tokens
        return faults.failed, ended


@pytest.mark.parametrize("kinds", PAIRS)
def test_no_fault_makes_a_wrong_text_or_ends_more_than_an_answer(write_tiny_model, kinds):
    with ExitStack() as opened:
        target = write_tiny_model(architecture=kinds.partition(" ")[0], **SMALL)
        draft = write_tiny_model(architecture=PAIRS[kinds], **SMALL, noise=0.1)
        scene = Scene(opened, target, draft)
        outcomes = [scene.play(number) for number in range(72)]
        print(kinds, sum(failed for failed, _ in outcomes), sum(ended for _, ended in outcomes))
        assert any(failed and not ended for failed, ended in outcomes)  # some are healed
