"""Which draft lengths a loaded pair uses, and what it keeps of its costs."""

import json
import math
from pathlib import Path

import pytest

from specchat.speculative.adaptive import AdaptiveLength
from specchat.speculative.cache import Cache
from specchat.speculative.draft_length import FixedLength
from specchat.speculative.drafting import MODEL, NGRAM, Drafter, SeveralDrafters
from specchat.speculative.interrupt import Interrupt
from specchat.speculative.lazy import ForgivingDrafter, LazyDrafter, loaded_model_drafter
from specchat.speculative.llama.config import LlamaConfig
from specchat.speculative.llama.identity import loaded_identity
from specchat.speculative.llama.known_costs import KnownCosts
from specchat.speculative.llama.pair import Pair, load_pair
from specchat.speculative.llama.pair_config import PairConfig
from specchat.speculative.llama.recommended import recommended_sampling, recommends_mirostat
from specchat.speculative.measuring import DRAFT_LENGTHS, TARGET_LENGTHS
from specchat.speculative.model_file import file_identity

from ..speculative.fakes import propose

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
        assert set(length(pair).sources) == {NGRAM}
    with load(tiny_model_path, tiny_model_path) as pair:
        assert set(length(pair).sources) == {NGRAM, MODEL}


def test_time_has_no_say_in_a_text_under_rejection(tiny_model_path):
    """There the text depends on the lengths, and one seed has to give one text."""
    with load(tiny_model_path, "ngram", verification="rejection") as pair:
        assert isinstance(pair.session.decoder.draft_length, FixedLength)


def test_costs_are_learned_by_the_way_and_kept(tiny_model_path, tmp_path):
    with load(tiny_model_path, "ngram", cache_folder=tmp_path) as pair:
        assert not length(pair).target_costs
        assert list(pair.session.generate([1, 2, 3], max_tokens=5))
        learned = dict(length(pair).target_costs.snapshot())
        assert learned
    with load(tiny_model_path, "ngram", cache_folder=tmp_path) as pair:
        assert dict(length(pair).target_costs.measured) == pytest.approx(learned)


def test_costs_can_be_measured_and_are_measured_once(tiny_model_path, write_tiny_model, tmp_path):
    draft = write_tiny_model(seed=6)
    with load(tiny_model_path, draft, cache_folder=tmp_path) as pair:
        pair.measure_costs()
        measured = dict(length(pair).target_costs.measured)
        assert set(measured) == {length for length in TARGET_LENGTHS if length <= 17}
        assert pair.target.cached == []
        assert set(length(pair).sources[MODEL].costs.measured) == set(DRAFT_LENGTHS)
    with load(tiny_model_path, draft, cache_folder=tmp_path) as pair:
        pair.measure_costs()
        assert dict(length(pair).target_costs.measured) == pytest.approx(measured)


def test_a_draft_is_bounded_by_what_its_steps_cost(tiny_model_path):
    with load(tiny_model_path, "ngram") as pair:
        pair.measure_costs()
        free, large = pair.conceivable_gain(0), pair.conceivable_gain(100 * pair.target.size)
    assert free > 1.5  # passes of such a tiny model cost nearly the same, however long
    assert large == 1.0


def test_other_settings_have_other_costs(tiny_model_path, tmp_path):
    for config in (ONE_THREAD, LlamaConfig(threads=1, n_ctx=256, verbose=False), LlamaConfig(threads=2, n_ctx=256)):
        with load(tiny_model_path, "ngram", cache_folder=tmp_path, target_config=config) as pair:
            pair.measure_costs()
    assert len(list((tmp_path / "costs").iterdir())) == 2


def test_a_context_shorter_than_what_is_measured_is_no_error(tiny_model_path):
    with load(tiny_model_path, tiny_model_path, target_config=LlamaConfig(threads=1, n_ctx=16)) as pair:
        pair.measure_costs()
        assert max(length(pair).target_costs.measured) <= 16


@pytest.mark.parametrize(
    "costs",
    [
        {"1": 0.5, "2": cost}
        for cost in (1e308, 1e-320, 3601.0, 1e-7, 0.0, -0.5, math.inf, math.nan, True, None, "0.75", [0.75], 10**400)
    ]
    + [{"1": 0.5, length: 0.75} for length in ("0", "-1", "1.5", "two", "9" * 400, "9" * 5000)]
    + [{}, [], 0.5, None],
    ids=lambda costs: str(costs)[:40],
)
def test_costs_that_no_pass_can_have_are_as_good_as_unknown(tiny_model_path, tmp_path, costs):
    cache = Cache(tmp_path)
    file = file_identity(tiny_model_path)
    cache.save(loaded_identity(file, ONE_THREAD), costs)
    assert not KnownCosts(cache).of(file, ONE_THREAD)


def test_a_draft_that_is_known_to_fit_is_loaded_when_it_is_wanted(tiny_model_path, tmp_path):
    def named(pair: Pair) -> Drafter:
        drafter = pair.session.decoder.drafter
        assert isinstance(drafter, SeveralDrafters)
        forgiving = drafter.drafters[1]
        assert isinstance(forgiving, ForgivingDrafter)
        return forgiving.drafter

    def loading(pair: Pair) -> float:
        lazy = named(pair)
        assert isinstance(lazy, LazyDrafter)
        [offer] = lazy.offers([1, 2, 3], propose(seed=0))
        return offer.loading

    with load(tiny_model_path, tiny_model_path, cache_folder=tmp_path) as pair:
        assert loading(pair) == 0
    with load(tiny_model_path, tiny_model_path, cache_folder=tmp_path) as pair:
        assert loading(pair) > 0
        drafter = loaded_model_drafter(named(pair))
        assert drafter is not None
        assert drafter.n_vocab == pair.target.vocabulary.n_tokens


@pytest.mark.parametrize(
    "damage",
    [
        {"seconds": 10**400},
        {"seconds": -1.0},
        {"n_ctx_train": 0},
        {"compatibility": {"warnings": [], "forbidden": [], "limit": 10**9}},
        {"compatibility": {"warnings": "text", "forbidden": [], "limit": 9}},
        {"compatibility": {"warnings": [], "forbidden": [9], "limit": 9}},
        {"compatibility": None},
    ],
    ids=str,
)
def test_a_fit_that_cannot_be_true_is_found_out_again(tiny_model_path, tmp_path, damage):
    load(tiny_model_path, tiny_model_path, cache_folder=tmp_path).close()
    [file] = (tmp_path / "fits").iterdir()
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "value": {**content["value"], **damage}}))
    load(tiny_model_path, tiny_model_path, cache_folder=tmp_path).close()
    repaired = json.loads(file.read_text())["value"]
    assert {**repaired, "seconds": 0} == {**content["value"], "seconds": 0}


@pytest.fixture
def draft(tiny_model_path, write_tiny_model, tmp_path) -> Path:
    """A draft that is known to fit, in a file of its own."""
    file: Path = tmp_path / "draft.gguf"
    file.write_bytes(write_tiny_model(seed=6).read_bytes())
    load(tiny_model_path, file, cache_folder=tmp_path).close()
    return file


def test_a_draft_that_was_changed_before_it_was_loaded_is_not_taken_for_the_one_that_fits(
    tiny_model_path, write_tiny_model, draft, tmp_path
):
    with load(tiny_model_path, draft, cache_folder=tmp_path, draft_length=3) as pair:
        draft.write_bytes(write_tiny_model(seed=7, layers=2).read_bytes())
        *_, finished = pair.session.generate([1, 2, 3], max_tokens=9)
        assert (finished.stats.completion_tokens, finished.stats.drafted) == (9, 0)
        assert "was changed" in " ".join(pair.take_notices())
    assert len(list((tmp_path / "fits").iterdir())) == 1


def test_a_target_that_goes_away_in_a_chat_ends_no_answer(tiny_model_path, write_tiny_model, tmp_path):
    target = tmp_path / "target.gguf"
    target.write_bytes(write_tiny_model(seed=5).read_bytes())
    load(target, tiny_model_path, cache_folder=tmp_path).close()
    with load(target, tiny_model_path, cache_folder=tmp_path, draft_length=3) as pair:
        target.unlink()
        *_, finished = pair.session.generate([1, 2, 3], max_tokens=9)
        assert finished.error is None
        assert finished.stats.drafted > 0
        assert pair.take_notices() == []


def test_a_pair_says_what_guesses(tiny_model_path, write_tiny_model):
    draft = write_tiny_model(seed=6)
    for settings, names in (
        ({}, ("n-grams", draft.stem)),
        ({"draft_length": 3}, (draft.stem,)),
        ({"draft_length": 0}, ()),
        ({"verification": "rejection"}, (draft.stem,)),
    ):
        with load(tiny_model_path, draft, **settings) as pair:
            assert pair.drafted_by == names


def test_a_draft_that_cannot_be_loaded_any_more_ends_nothing(tiny_model_path, draft, tmp_path):
    with load(tiny_model_path, draft, cache_folder=tmp_path, draft_length=3) as pair:
        draft.unlink()
        *_, finished = pair.session.generate([1, 2, 3], max_tokens=9)
        assert finished.stats.completion_tokens == 9
        [notice] = pair.take_notices()
        assert "draft.gguf" in notice
        assert "drafts nothing any more" in notice
        assert pair.take_notices() == []


def test_a_file_that_goes_away_while_it_is_used_ends_nothing(write_tiny_model, tmp_path):
    target = tmp_path / "target.gguf"
    target.write_bytes(write_tiny_model(seed=5).read_bytes())
    pair = load(target, "ngram", cache_folder=tmp_path / "costs")
    target.unlink()
    pair.close()
    pair.close()


def test_recommended_sampling_is_read_and_what_is_no_number_left_out():
    values = {"general.sampling.temp": "0.700000", "general.sampling.top_k": "20.000000", "general.sampling.top_p": "x"}
    assert recommended_sampling(values.get) == {"temperature": 0.7, "top_k": 20}
    assert not recommends_mirostat(values.get)


def test_xtc_and_mirostat_can_be_recommended():
    values = {"general.sampling.xtc_probability": "0.5", "general.sampling.mirostat": "2"}
    assert recommended_sampling(values.get) == {"xtc_probability": 0.5}
    assert recommends_mirostat(values.get)
