"""Promise one on real models: a few texts of the pair whose passes agree bit for bit. same_text.py runs many more."""

from dataclasses import replace

import pytest

from specchat.speculative.adaptive import AdaptiveLength, sources
from specchat.speculative.costs import CostCurve
from specchat.speculative.drafting import MODEL, NGRAM, NoDrafter
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.lazy import loaded_model_drafter
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.messages import Message
from specchat.speculative.ngram import NgramDrafter

from .same_text import PROMPTS, Case, generate

pytestmark = pytest.mark.models
TOKENS = 64


@pytest.fixture(scope="module")
def exact_pair(models, tmp_path_factory):
    config = PairConfig(
        target=models / "qwen2.5-coder-1.5b-instruct-q8_0.gguf",
        draft=models / "qwen2.5-coder-0.5b-instruct-q4_0.gguf",
        target_config=LlamaConfig(n_ctx=1024, cache_type_v="q8_0"),
        cache_folder=tmp_path_factory.mktemp("costs"),
    )
    with load_pair(config, Interrupt()) as pair:
        yield pair


@pytest.mark.parametrize("temperature", [0.0, 1.2])
@pytest.mark.parametrize("kind", ["code", "story"])
def test_the_text_is_the_same_drafted_by_the_model_and_by_ngrams(exact_pair, kind, temperature):
    case = Case(kind, temperature, seed=1, max_tokens=TOKENS)
    plain = generate(exact_pair, case, NoDrafter(), 0)
    by_model = generate(exact_pair, case, loaded_model_drafter(exact_pair.session.decoder.drafter), 4)
    by_ngrams = generate(exact_pair, case, NgramDrafter(), 8)
    assert plain.tokens == by_model.tokens == by_ngrams.tokens
    assert plain.text == by_model.text == by_ngrams.text
    assert kind != "code" or by_model.stats.tokens_per_round >= 2


def test_the_text_is_the_same_with_adaptive_lengths(exact_pair):
    """Costs under which drafting pays at first, whatever this machine is doing; then they are what they are."""
    case = Case("json", 0.8, seed=1, max_tokens=TOKENS)
    known = sources((NGRAM, MODEL), CostCurve({1: 0.01, 64: 0.02}), share=0.1)
    length = AdaptiveLength(CostCurve({1: 1.0, 17: 1.1}), known, most=16)
    exact_pair.target.rollback(0)
    decoder = replace(exact_pair.session.decoder, chain=case.chain, draft_length=length)
    prompt = exact_pair.chat_tokens([Message("user", PROMPTS[case.kind])])
    *_, adaptive = exact_pair.session.afresh(decoder, case.seed).generate(prompt, max_tokens=TOKENS)
    assert adaptive.tokens == generate(exact_pair, case, NoDrafter(), 0).tokens
    assert adaptive.stats.drafted > 0


def test_exact_settings_of_a_real_model_are_found_once_and_hold(models, tmp_path):
    asked = PairConfig(
        target=models / "smollm2-135m-instruct-q4_1.gguf",
        draft="ngram",
        target_config=LlamaConfig(n_ctx=2048),
        cache_folder=tmp_path,
        exact=True,
    )
    with load_pair(asked, Interrupt()) as pair:
        assert pair.exactness.bit_exact
        assert pair.exactness.context >= 1500
        for temperature in (0.0, 1.2):
            case = Case("edit", temperature, seed=2, max_tokens=200)
            assert generate(pair, case, NgramDrafter(), 8).tokens == generate(pair, case, NoDrafter(), 0).tokens
    told = []
    load_pair(asked, Interrupt(), told.append).close()
    assert not any("measuring" in doing for doing in told)
