"""A draft that was trained on shorter texts than the target goes on guessing, and changes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import NoDrafter
from specchat.speculative.events import GenerationFinished, RoundFinished
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.lazy import loaded_model_drafter
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.model import LlamaModel
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.model import Rows

CONFIG = LlamaConfig(n_ctx=1024, n_batch=64, threads=1, cache_type_k="f32", cache_type_v="f32", flash_attention="off")
SMALL = {"layers": 1, "width": 32}
TRAINED = 128
PROMPT = [int(token) for token in np.random.default_rng(7).integers(0, 256, 24)]


@dataclass
class Counted:
    """A draft that counts what it reads."""

    model: LlamaModel
    read: int = 0

    @property
    def cached(self) -> Sequence[int]:
        return self.model.cached

    def rollback(self, length: int) -> int:
        return self.model.rollback(length)

    def nearest(self, length: int) -> int:
        return self.model.nearest(length)

    def keep(self) -> None:
        self.model.keep()

    def decode(self, tokens: Sequence[int], n_logits: int) -> Rows:
        self.read += len(tokens)
        return self.model.decode(tokens, n_logits)

    def close(self) -> None:
        self.model.close()


@pytest.fixture
def pair(write_tiny_model):
    draft = write_tiny_model(**SMALL, noise=0.05, n_ctx=TRAINED)
    config = PairConfig(
        target=write_tiny_model(**SMALL),
        draft=draft,
        target_config=CONFIG,
        draft_config=CONFIG,
        draft_length=4,
        sampling={"temperature": 0.5},
    )
    with load_pair(config, Interrupt()) as loaded:
        yield loaded


def tell(pair: Pair, *, drafted: bool) -> list:
    decoder = pair.session.decoder
    if not drafted:
        pair.target.rollback(0)
        decoder = replace(decoder, drafter=NoDrafter(), draft_length=FixedLength(0))
    decoder = replace(decoder, is_end=lambda token: False)
    return list(pair.session.afresh(decoder, 5).generate(PROMPT))


def test_it_guesses_right_past_what_it_was_trained_on_and_the_text_is_the_same(pair):
    loaded = loaded_model_drafter(pair.session.decoder.drafter)
    counted = Counted(loaded.model)
    drafter = replace(loaded, model=counted, is_end=lambda token: False)
    pair.session.decoder = replace(pair.session.decoder, drafter=drafter)
    *events, drafted = tell(pair, drafted=True)
    *_, plain = tell(pair, drafted=False)
    assert isinstance(drafted, GenerationFinished)
    assert (drafted.tokens, drafted.error) == (plain.tokens, None)
    assert drafted.stats.completion_tokens == 1000
    rounds, length, late = [event.round for event in events if isinstance(event, RoundFinished)], len(PROMPT), []
    for step in rounds:
        late += [step] if length > TRAINED else []
        length += len(step.tokens)
    early = rounds[: len(rounds) - len(late)]
    rates = [sum(step.accepted for step in part) / sum(step.tested for step in part) for part in (early, late)]
    print(f"right: {rates[0]:.0%} of the guesses at first, {rates[1]:.0%} past what the draft was trained on")
    assert rates[1] > 0.1  # of 300 tokens, one is right by chance
    assert all(len(step.draft) for step in late[:-4])
    assert len(counted.cached) <= TRAINED
    guessed = sum(step.draft.guessed for step in rounds)
    print(f"read {counted.read} tokens for {guessed} guesses")
    assert counted.read <= 1.5 * guessed


def test_it_says_so_once_and_only_when_a_text_is_that_long(pair):
    def notices(prompt: list[int]) -> list[str]:
        list(pair.session.generate(prompt, max_tokens=30))
        return pair.take_notices()

    assert notices(PROMPT) == []
    [told] = notices(PROMPT * 6)
    assert f"trained on texts of {TRAINED} tokens" in told
    assert notices(PROMPT * 7) == []
