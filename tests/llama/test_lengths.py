"""Which draft lengths a loaded pair uses, and what it keeps of its costs."""

from pathlib import Path

import pytest

from specchat.speculative.adaptive import AdaptiveLength
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.recommended import recommended_sampling

ONE_THREAD = LlamaConfig(threads=1, n_ctx=256)


def load(target: Path, draft: Path | str, **settings) -> Pair:
    settings = {"target_config": ONE_THREAD, "draft_config": ONE_THREAD, **settings}
    return load_pair(PairConfig(target=target, draft=draft, **settings), Interrupt())


def length(pair: Pair) -> AdaptiveLength:
    found = pair.session.decoder.draft_length
    assert isinstance(found, AdaptiveLength)
    return found


def test_lengths_adapt_unless_one_is_fixed_or_nothing_drafts(tiny_model_path):
    with load(tiny_model_path, "none") as pair:
        assert pair.session.decoder.draft_length == FixedLength(0)
    with load(tiny_model_path, "ngram", draft_length=3) as pair:
        assert pair.session.decoder.draft_length == FixedLength(3)
    with load(tiny_model_path, "ngram") as pair:
        assert length(pair).draft_costs is None
    with load(tiny_model_path, tiny_model_path) as pair:
        assert length(pair).draft_costs


def test_time_has_no_say_in_a_text_under_rejection(tiny_model_path):
    """There the text depends on the lengths, and one seed has to give one text."""
    with load(tiny_model_path, "ngram", verification="rejection") as pair:
        assert isinstance(pair.session.decoder.draft_length, FixedLength)


def test_costs_are_measured_once_and_saved_with_what_was_learned(tiny_model_path, tmp_path):
    with load(tiny_model_path, tiny_model_path, costs_folder=tmp_path) as pair:
        length(pair).target_costs.observe(1, 1000.0)
        measured = dict(length(pair).target_costs.snapshot())
    with load(tiny_model_path, tiny_model_path, costs_folder=tmp_path) as pair:
        assert dict(length(pair).target_costs.measured) == pytest.approx(measured)
    assert len(list(tmp_path.iterdir())) == 2


def test_other_settings_are_measured_anew(tiny_model_path, tmp_path):
    for config in (ONE_THREAD, LlamaConfig(threads=1, n_ctx=256, verbose=False), LlamaConfig(threads=2, n_ctx=256)):
        load(tiny_model_path, "ngram", costs_folder=tmp_path, target_config=config).close()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_context_shorter_than_what_is_measured_is_no_error(tiny_model_path):
    with load(tiny_model_path, tiny_model_path, target_config=LlamaConfig(threads=1, n_ctx=16)) as pair:
        assert max(length(pair).target_costs.measured) <= 16


def test_a_file_that_goes_away_while_it_is_used_ends_nothing(write_tiny_model, tmp_path):
    target = tmp_path / "target.gguf"
    target.write_bytes(write_tiny_model(seed=5).read_bytes())
    pair = load(target, "ngram", costs_folder=tmp_path / "costs")
    target.unlink()
    pair.close()
    pair.close()


def test_recommended_sampling_is_read_and_what_is_no_number_left_out():
    values = {"general.sampling.temp": "0.700000", "general.sampling.top_k": "20.000000", "general.sampling.top_p": "x"}
    assert recommended_sampling(values.get) == {"temperature": 0.7, "top_k": 20}
